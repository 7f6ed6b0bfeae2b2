package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.collections.Hashing;
import org.junit.jupiter.api.Test;

class TransactionTableTest {
  private final TransactionPool pool = new TransactionPool(7);
  private final TransactionTable table = new TransactionTable(pool, 1024);

  private Transaction add(int rsn) {
    Transaction transaction = pool.acquire();
    transaction.arrive(Transaction.Kind.PUSH, rsn, 0);
    table.add(transaction);
    return transaction;
  }

  @Test
  void shouldFindEachAcrossTheWrap() {
    for (int rsn = -600; rsn < 600; rsn++) {
      add(rsn);
    }
    for (int rsn = -600; rsn < 600; rsn++) {
      assertThat(table.find(rsn).rsn()).isEqualTo(rsn);
    }
    assertThat(table.find(600)).isNull();
    assertThat(table.find(-601)).isNull();
    assertThat(table.size()).isEqualTo(1200);
  }

  @Test
  void shouldKeepAFewFarApartWithoutGrowingByTheirDistance() {
    Transaction low = add(0);
    Transaction high = add(1 << 20);
    Transaction middle = add(1 << 19);
    assertThat(table.find(0)).isSameAs(low);
    assertThat(table.find(1 << 20)).isSameAs(high);
    table.remove(low);
    assertThat(table.find(0)).isNull();
    assertThat(table.find(1 << 20)).isSameAs(high);
    assertThat(table.find(1 << 19)).isSameAs(middle);
  }

  @Test
  void shouldNotLetAPeerChooseRsnsThatMeetInOnePlace() {
    int tableMask = 32_767;
    TransactionPool secret = new TransactionPool(0x1234_5678_9ABC_DEF1L);
    BitSet places = new BitSet();
    int count = 0;
    for (int rsn = 0; rsn < 1 << 20 && count < 8_000; rsn++) {
      if (Hashing.evenHash(rsn, tableMask) < 600) { // where a map without a secret would put them
        count++;
        places.set(Hashing.evenHash(secret.scrambled(rsn), tableMask));
      }
    }
    assertThat(count).isEqualTo(8_000);
    assertThat(places.cardinality()).isGreaterThan(5_000);
    assertThat(secret.scrambled(1)).isNotEqualTo(pool.scrambled(1));
  }

  @Test
  void shouldAgreeWithAMapWhateverComes() {
    SplittableRandom random = new SplittableRandom(7);
    Map<Integer, Transaction> expected = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      int rsn = -1000 + random.nextInt(random.nextInt(4) == 0 ? 1 << 20 : 2000);
      Transaction known = expected.get(rsn);
      assertThat(table.find(rsn)).isSameAs(known);
      if (known == null && expected.size() < 1500) {
        expected.put(rsn, add(rsn));
      } else if (known != null) {
        table.remove(expected.remove(rsn));
        pool.release(known);
      }
    }
    Set<Integer> visited = new HashSet<>();
    table.forEach(
        transaction -> {
          visited.add(transaction.rsn());
          table.remove(transaction);
        });
    assertThat(visited).isEqualTo(expected.keySet());
    assertThat(table.size()).isZero();
  }
}
