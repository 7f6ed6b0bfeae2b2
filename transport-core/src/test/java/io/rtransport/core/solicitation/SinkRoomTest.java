package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Messages whose sinks write behind, on a disk that takes nothing: they hold up nobody but
 * themselves.
 */
class SinkRoomTest {
  private static final long MIB = 1 << 20;
  private static final long SINK_BYTES_MAX = 3 * MIB;

  private final NodeBudget budget = new NodeBudget(64 * MIB);
  private final TransactionPool pool = new TransactionPool(9);
  private final PathView path = new SteadyPath(100_000);
  private final List<BudgetAccount> others = new ArrayList<>();
  private long nowNs = 5;
  private GrantScheduler grants = scheduler(false);

  private GrantScheduler scheduler(boolean isOrdered) {
    return new GrantScheduler(
        pool, 4 * MIB, budget, () -> {}, path, isOrdered, () -> null, new Counters());
  }

  private Transaction begin(Transaction.Kind kind, long length, long untakenBytesMax) {
    if (kind == Transaction.Kind.PUSH) {
      return push(length, false, untakenBytesMax);
    }
    Transaction t = MadeTransactions.sentPull(pool, length);
    assertThat(grants.reservePull(t)).isTrue();
    t.learnAnswerLength(length);
    t.incoming().accept(0, false, untakenBytesMax);
    grants.onAnswerLength(t);
    return t;
  }

  private Transaction push(long length, long untakenBytesMax) {
    return push(length, false, untakenBytesMax);
  }

  private Transaction push(long length, boolean isKeptWhole, long untakenBytesMax) {
    Transaction t = MadeTransactions.arriving(pool, Transaction.Kind.PUSH, 0, length);
    t.solicit(0);
    t.incoming().accept(0, isKeptWhole, untakenBytesMax);
    grants.addPush(t);
    return t;
  }

  private static Transaction.Kind kindOf(boolean isPull) {
    return isPull ? Transaction.Kind.PULL : Transaction.Kind.PUSH;
  }

  /** Writes a grant, and lets its bytes arrive; whose it was, or null. */
  private Transaction grant() {
    if (!grants.hasGrant()) {
      return null;
    }
    Transaction t = grants.prepared();
    grants.onGranted(nowNs);
    long bytes = t.incoming().missingBytes();
    t.incoming().addMissing(t.incoming().arrivedBytes(), t.incoming().grantedBytes());
    grants.onArrived(t, bytes, nowNs);
    return t;
  }

  private void take(Transaction t, long bytes) {
    t.incoming().take(bytes);
    grants.onTaken(t, bytes);
  }

  private void hang(Transaction... those) {
    for (Transaction t = grant(); t != null; t = grant()) {
      assertThat(t).isIn((Object[]) those);
    }
  }

  private void passTime() {
    for (int i = 0; i < 3; i++) {
      grants.onBurstEnd(nowNs);
      nowNs += StaleBytes.STALE_NS;
      grants.onTimeout(nowNs);
    }
  }

  @Test
  void shouldGrantOthersWhileTheSinkOfTheShortestTakesNothing() {
    for (boolean isPull : new boolean[] {false, true}) {
      Transaction hung = begin(kindOf(isPull), 4 * MIB, SINK_BYTES_MAX);
      hang(hung);
      assertThat(hung.incoming().grantedBytes())
          .isBetween(SINK_BYTES_MAX - Limits.GRANT_BYTES_MAX + 1, SINK_BYTES_MAX);
      Transaction longer = begin(kindOf(isPull), 16 * MIB, SINK_BYTES_MAX);
      Transaction shorter = begin(kindOf(isPull), MIB, SINK_BYTES_MAX);
      for (int i = 0; i < 4; i++) {
        assertThat(grant()).isSameAs(shorter);
        take(shorter, shorter.incoming().arrivedBytes() - shorter.incoming().takenBytes());
        if (shorter.incoming().grantedBytes() == MIB) {
          break;
        }
      }
      for (int i = 0; i < 40; i++) {
        assertThat(grant()).isSameAs(longer);
        take(longer, Limits.GRANT_BYTES_MAX);
      }
      grants.onEnded(shorter);
      grants.onEnded(longer);
      grants.onEnded(hung);
      assertThat(budget.countedBytes()).isZero();
      assertThat(budget.behindBytes()).isZero();
    }
    grants.close();
  }

  /** Its owner may change the bound; one that writes nothing behind has none. */
  @Test
  void shouldGrantByTheBoundThatIsToldLast() {
    Transaction behind = push(8 * MIB, MIB);
    hang(behind);
    assertThat(behind.incoming().grantedBytes()).isEqualTo(MIB);
    Target.limitUntaken(behind, 2 * MIB);
    take(behind, MIB / 2);
    hang(behind);
    assertThat(behind.incoming().grantedBytes()).isEqualTo(2 * MIB + MIB / 2);
    Target.limitUntaken(behind, SinkRoom.BYTES_LEAST);
    take(behind, MIB);
    assertThat(grant()).isNull();
    Transaction other = push(MIB, Long.MAX_VALUE);
    Target.limitUntaken(other, SinkRoom.BYTES_LEAST);
    hang(other);
    assertThat(other.incoming().grantedBytes()).isEqualTo(MIB);
    Target.limitUntaken(null, 1);
    grants.onEnded(behind);
    grants.onEnded(other);
    grants.close();
  }

  @Test
  void shouldGrantOneThatSteppedAsideOnceItsSinkHasTakenEnough() {
    Transaction t = push(8 * MIB, MIB);
    Transaction other = push(16 * MIB, MIB);
    hang(t, other);
    assertThat(t.incoming().grantedBytes()).isEqualTo(MIB);
    assertThat(other.incoming().grantedBytes()).isEqualTo(MIB);
    take(t, Limits.GRANT_BYTES_MAX - 1);
    assertThat(grant()).as("a byte short").isNull();
    take(t, 1);
    assertThat(grant()).isSameAs(t);
    assertThat(grant()).isNull();
    take(other, MIB);
    assertThat(grant()).isSameAs(other);
    grants.onEnded(t);
    hang(other);
    grants.onEnded(other);
    grants.close();
  }

  @Test
  void shouldKeepTheOrderOfAnOrderedConnection() {
    grants = scheduler(true);
    Transaction hung = push(4 * MIB, SINK_BYTES_MAX);
    hang(hung);
    Transaction behind = push(MIB, Long.MAX_VALUE);
    assertThat(grant()).as("it could not be delivered before the first").isNull();
    take(hung, hung.incoming().arrivedBytes());
    assertThat(grant()).isSameAs(hung);
    grants.onEnded(hung);
    assertThat(grant()).isSameAs(behind);
    grants.onEnded(behind);
    grants.close();
  }

  @Test
  void shouldLeaveTheBudgetToOthersHoweverManySinksHang() {
    List<Transaction> hung = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      hung.add(push(64 * MIB, SINK_BYTES_MAX));
      hang(hung.get(i));
      if (i == 19) {
        assertThat(budget.countedBytes()).as("held by twenty").isBetween(12 * MIB, 24 * MIB);
      }
    }
    assertThat(budget.behindBytes()).isEqualTo(budget.countedBytes());
    assertThat(budget.countedBytes()).isLessThanOrEqualTo(24 * MIB + 100 * SinkRoom.BYTES_LEAST);
    passTime();
    assertThat(budget.staleBytes()).as("a connection is not barred for them").isZero();
    Transaction fine = push(MIB, Long.MAX_VALUE);
    while (fine.incoming().grantedBytes() < MIB) {
      assertThat(grant()).isSameAs(fine);
    }
    Transaction onAnotherDisk = push(MIB, SINK_BYTES_MAX);
    while (onAnotherDisk.incoming().grantedBytes() < MIB) {
      assertThat(grant()).isSameAs(onAnotherDisk);
      take(
          onAnotherDisk,
          onAnotherDisk.incoming().arrivedBytes() - onAnotherDisk.incoming().takenBytes());
    }
    hung.forEach(grants::onEnded);
    grants.onEnded(fine);
    grants.onEnded(onAnotherDisk);
    assertThat(budget.behindBytes()).isZero();
    assertThat(budget.countedBytes()).isZero();
    grants.close();
  }

  @Test
  void shouldStillBarAConnectionWhoseApplicationTakesNothing() {
    Transaction hung = push(64 * MIB, SINK_BYTES_MAX);
    hang(hung);
    Transaction unread = push(64 * MIB, Long.MAX_VALUE);
    while (unread.incoming().arrivedBytes() < 9 * MIB) {
      assertThat(grant()).isSameAs(unread);
    }
    passTime();
    assertThat(budget.staleBytes()).isEqualTo(unread.incoming().arrivedBytes());
    assertThat(grant()).isNull();
    take(unread, unread.incoming().arrivedBytes());
    assertThat(grant()).isSameAs(unread);
    grants.onEnded(hung);
    grants.onEnded(unread);
    grants.close();
  }

  @Test
  void shouldGrantNoMoreThanTheSinkHasRoomForInOneGrant() {
    Transaction t = push(MIB, 100_000);
    assertThat(grant()).isSameAs(t);
    assertThat(t.incoming().grantedBytes()).isEqualTo(100_000);
    assertThat(grant()).isNull();
    take(t, 99_999);
    assertThat(grant()).isNull();
    take(t, 1);
    assertThat(grant()).isSameAs(t);
    assertThat(t.incoming().grantedBytes()).isEqualTo(200_000);
    grants.onEnded(t);

    Transaction tiny = push(MIB, 1);
    assertThat(grant()).isSameAs(tiny);
    assertThat(tiny.incoming().grantedBytes()).isEqualTo(SinkRoom.BYTES_LEAST);
    grants.onEnded(tiny);
    grants.close();
  }

  @Test
  void shouldKeepTheOldestPullsPlaceWhileEveryPushStandsAside() {
    Transaction pull = begin(Transaction.Kind.PULL, 8 * MIB, Long.MAX_VALUE);
    assertThat(grant()).isSameAs(pull);
    take(pull, pull.incoming().grantedBytes() - pull.incoming().takenBytes());
    long rest = 64 * MIB - budget.countedBytes() - SinkRoom.BYTES_LEAST;
    while (rest > 0) {
      BudgetAccount one = new BudgetAccount(budget, () -> {});
      rest -= one.reserve(1, Math.min(rest, MIB), false);
      others.add(one);
    }
    Transaction hung = push(4 * MIB, SinkRoom.BYTES_LEAST);
    assertThat(grant()).as("so that pulls are next").isSameAs(hung);
    assertThat(grants.hasGrant()).as("the budget is all held").isFalse();
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    assertThat(other.reserve(MIB, MIB, false)).as("waits behind the pull").isZero();
    take(hung, 1);
    assertThat(grants.hasGrant()).as("the push stands aside again").isFalse();
    others.get(0).release(MIB, false);
    assertThat(grant()).as("the pull was first").isSameAs(pull);
    for (BudgetAccount one : others.subList(1, others.size())) {
      one.release(one.heldBytes(), false);
    }
    grants.onEnded(pull);
    grants.onEnded(hung);
    grants.close();
  }

  @Test
  void shouldForgetOneThatEndsAsideThoughItWasReservedWhole() {
    Transaction t = push(MIB, Long.MAX_VALUE);
    grants.onEnded(t);
    Transaction whole = push(MIB, true, SinkRoom.BYTES_LEAST);
    assertThat(grant()).isSameAs(whole);
    assertThat(whole.incoming().isWrittenBehind())
        .as("what is kept whole waits for no disk")
        .isFalse();
    grants.onEnded(whole);
    grants.close();
  }

  @Test
  void shouldNotKeepAPullFromItsFirstReservationWhileAnotherHangs() {
    Transaction hung = begin(Transaction.Kind.PULL, 4 * MIB, SINK_BYTES_MAX);
    hang(hung);
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    long rest = 32 * MIB - budget.pullBytes();
    assertThat(other.reserve(rest, rest, true)).isEqualTo(rest);
    Transaction waiting = MadeTransactions.queued(pool, Transaction.Kind.PULL, MIB);
    assertThat(grants.reservePull(waiting)).as("no room").isFalse();
    Transaction third = push(MIB, Long.MAX_VALUE);
    assertThat(grant()).isSameAs(third);
    BudgetAccount behind = new BudgetAccount(budget, () -> {});
    assertThat(behind.reserve(1, 1, true)).as("waits behind it").isZero();
    other.release(rest, true);
    assertThat(grants.reservePull(waiting)).as("it has kept its place").isTrue();
    grants.onEnded(waiting);
    grants.onEnded(third);
    grants.onEnded(hung);
    grants.close();
  }
}
