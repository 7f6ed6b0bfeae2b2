package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import org.junit.jupiter.api.Test;

class ReorderEngineTest {
  private final ContentAddressableMemory table = new ContentAddressableMemory(16, 3);
  private final TransactionPool pool = new TransactionPool(7);
  private final ReorderEngine engine = new ReorderEngine(5, table, pool);
  private final ReorderEngine other = new ReorderEngine(6, table, pool);

  private Transaction transaction(int rsn, int ssn) {
    Transaction t = MadeTransactions.arriving(pool, Transaction.Kind.PUSH, rsn, 0);
    t.solicit(ssn);
    return t;
  }

  @Test
  void shouldKeepSpacesAndConnectionsApart() {
    Transaction t = transaction(1, 1);
    engine.register(ReorderEngine.OWN_SSN, 1, t);
    assertThat(engine.find(ReorderEngine.PEER_SSN, 1)).isNull();
    assertThat(other.find(ReorderEngine.OWN_SSN, 1)).isNull();
    assertThat(engine.find(ReorderEngine.OWN_SSN, 1)).isSameAs(t);
    assertThat(engine.take(ReorderEngine.OWN_SSN, 1)).isSameAs(t);
    assertThat(engine.take(ReorderEngine.OWN_SSN, 1)).isNull();
  }

  @Test
  void shouldRefuseNothingWhenTheSharedTableIsFull() {
    for (int i = 0; i < 100; i++) {
      engine.register(ReorderEngine.PEER_RSN, -50 + i, transaction(-50 + i, 0));
    }
    assertThat(table.size()).isLessThanOrEqualTo(16);
    assertThat(engine.count(ReorderEngine.PEER_RSN)).isEqualTo(100);
    for (int i = 0; i < 100; i++) {
      assertThat(engine.take(ReorderEngine.PEER_RSN, -50 + i).rsn()).isEqualTo(-50 + i);
    }
    assertThat(table.size()).isZero();
  }

  @Test
  void shouldGiveOneConnectionAQuarterOfTheTableAndTheOthersTheRest() {
    for (int i = 0; i < 5; i++) {
      engine.register(ReorderEngine.PEER_SSN, i, transaction(i, i));
      assertThat(table.size()).isEqualTo(Math.min(i + 1, 4));
    }
    other.register(ReorderEngine.PEER_SSN, 0, transaction(0, 0));
    assertThat(table.size()).isEqualTo(5);
    assertThat(engine.take(ReorderEngine.PEER_SSN, 4).ssn()).isEqualTo(4);
    assertThat(engine.take(ReorderEngine.PEER_SSN, 0).ssn()).isZero();
    engine.register(ReorderEngine.PEER_SSN, 5, transaction(5, 5));
    assertThat(table.size()).as("a place that it gave back").isEqualTo(5);
  }

  @Test
  void shouldForgetATransactionInEverySpace() {
    Transaction t = transaction(7, 9);
    engine.register(ReorderEngine.PEER_SSN, 9, t);
    engine.register(ReorderEngine.PEER_RSN, 7, t);
    engine.forget(t);
    assertThat(table.size()).isZero();
    assertThat(t.isRegistered()).isFalse();
    assertThat(engine.find(ReorderEngine.PEER_RSN, 7)).isNull();
  }
}
