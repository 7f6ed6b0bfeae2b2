package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.stats.Limits;
import org.junit.jupiter.api.Test;

class CidTableTest {
  @Test
  void shouldFindWhatWasInsertedAndNothingElse() {
    CidTable<String> table = new CidTable<>(3, 10);
    int cid = table.insert("a", 0);

    assertThat(cid).isNotZero();
    assertThat(cid >>> 24).isEqualTo(3);
    assertThat(table.find(cid)).isEqualTo("a");
    assertThat(table.find(cid + 1)).isNull(); // another generation
    assertThat(table.find(cid ^ 1 << 24)).isNull(); // another loop
    assertThat(table.find(cid + (1 << 8))).isNull(); // another slot
    assertThat(table.find(0)).isNull();
    assertThat(table.find(-1)).isNull();
  }

  @Test
  void shouldTakeAsManyAsItsCapacityAndNotOneMore() {
    CidTable<String> table = new CidTable<>(0, Limits.CONNECTIONS_MAX);
    for (int i = 0; i < Limits.CONNECTIONS_MAX; i++) {
      assertThat(table.insert("x", 0)).isNotZero();
    }
    assertThat(table.insert("x", 0)).isZero();
    assertThatThrownBy(() -> new EndpointConfig(0, Limits.CONNECTIONS_MAX + 1, 1, 0, 1))
        .hasMessageContaining("connectionsMax=65536 must be in 1..65535");
  }

  @Test
  void shouldReuseASlotOnlyAfterThreeSecondsAndUnderAnotherGeneration() {
    CidTable<String> table = new CidTable<>(0, 1);
    int first = table.insert("a", 0);
    table.remove(first, 100);

    assertThat(table.insert("b", 100 + CidTable.REUSE_DELAY_NS - 1)).isZero();
    int second = table.insert("b", 100 + CidTable.REUSE_DELAY_NS);
    assertThat(second).isNotZero().isNotEqualTo(first);
    assertThat(table.find(first)).isNull();
    assertThat(table.find(second)).isEqualTo("b");
  }

  @Test
  void shouldReuseTheOldestFreedSlotFirst() {
    CidTable<String> table = new CidTable<>(0, 3);
    int a = table.insert("a", 0);
    int b = table.insert("b", 0);
    table.insert("c", 0);
    table.remove(b, 1);
    table.remove(a, 2);

    int again = table.insert("d", 2 + CidTable.REUSE_DELAY_NS);
    assertThat(CidTable.slot(again)).isEqualTo(CidTable.slot(b));
  }

  @Test
  void shouldSkipGenerationZeroSoThatNoIdIsZero() {
    CidTable<String> table = new CidTable<>(0, 1);
    long now = 0;
    for (int i = 0; i < 600; i++) {
      int cid = table.insert("x", now);
      assertThat(cid & 0xFF).as("round %d", i).isNotZero();
      table.remove(cid, now);
      now += CidTable.REUSE_DELAY_NS;
    }
  }

  @Test
  void shouldIgnoreTheSecondRemoval() {
    CidTable<String> table = new CidTable<>(0, 2);
    int cid = table.insert("a", 0);
    table.remove(cid, 0);
    table.remove(cid, 0);

    assertThat(table.size()).isZero();
    table.insert("b", CidTable.REUSE_DELAY_NS);
    table.insert("c", CidTable.REUSE_DELAY_NS);
    assertThat(table.size()).isEqualTo(2);
    assertThat(table.insert("d", 2 * CidTable.REUSE_DELAY_NS)).isZero();
  }
}
