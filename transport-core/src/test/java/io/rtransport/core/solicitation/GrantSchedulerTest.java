package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import org.junit.jupiter.api.Test;

class GrantSchedulerTest {
  private static final long MIB = 1 << 20;
  private static final long AHEAD = MIB;

  private final NodeBudget budget = IncastLimitTest.fast(new NodeBudget(8 * MIB));
  private final Counters counters = new Counters();
  private final TransactionPool pool = new TransactionPool(7);
  private long srttNs = 100_000;
  private boolean isKeptWhole;
  private long aheadBytesMost = AHEAD;
  private GrantScheduler grants = scheduler(true);
  private long nowNs = 5;

  private GrantScheduler scheduler(boolean isOrdered) {
    PathView path =
        new PathView() {
          @Override
          public boolean isCongested() {
            return false;
          }

          @Override
          public long srttNs() {
            return srttNs;
          }
        };
    return new GrantScheduler(
        pool, aheadBytesMost, budget, () -> {}, path, isOrdered, () -> null, counters);
  }

  private Transaction push(long length) {
    Transaction t = MadeTransactions.arriving(pool, Transaction.Kind.PUSH, 0, length);
    t.solicit(0);
    t.incoming().accept(0, isKeptWhole, Long.MAX_VALUE);
    grants.addPush(t);
    return t;
  }

  private Transaction pull(long lengthMax) {
    Transaction t = MadeTransactions.sentPull(pool, lengthMax);
    t.incoming().accept(0, isKeptWhole, Long.MAX_VALUE);
    return t;
  }

  private long grant() {
    assertThat(grants.hasGrant()).isTrue();
    long bytes = grants.preparedBytes();
    grants.onGranted(nowNs);
    return bytes;
  }

  private void arrive(Transaction t, long bytes, boolean isTaken) {
    long hereBytes = t.incoming().hereBytes();
    t.incoming().addMissing(hereBytes, hereBytes + bytes);
    grants.onArrived(t, bytes, nowNs);
    if (isTaken) {
      t.incoming().take(bytes);
      grants.onTaken(t, bytes);
    }
  }

  @Test
  void shouldGrantAtMostAQuarterMegabyteAtATimeAndOnlySoFarAhead() {
    Transaction t = push(2 * MIB);
    for (int i = 0; i < 4; i++) {
      assertThat(grant()).isEqualTo(Limits.GRANT_BYTES_MAX);
    }
    assertThat(grants.hasGrant()).as("a megabyte ahead").isFalse();
    arrive(t, Limits.GRANT_BYTES_MAX - 1, true);
    assertThat(grants.hasGrant()).isFalse();
    arrive(t, 1, true);
    assertThat(grant()).isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(counters.value(CounterId.GRANTS_PARTIAL)).isEqualTo(5);
  }

  /**
   * Ten round trips of 50 ms in which a peer sends what it is granted, as far as {@code
   * bytesARound}, and the sink takes all or nothing.
   */
  private void carry(long bytesARound, boolean isTaken) {
    carry(bytesARound, isTaken, 16 * MIB);
  }

  private void carry(long bytesARound, boolean isTaken, long aheadMost) {
    aheadBytesMost = aheadMost;
    srttNs = 50_000_000;
    grants = scheduler(true);
    Transaction t = push(1 << 30);
    for (int round = 0; round < 10; round++) {
      while (grants.hasGrant()) {
        grant();
      }
      arrive(t, Math.min(bytesARound, t.incoming().missingBytes()), isTaken);
      nowNs += srttNs;
      grants.onBurstEnd(nowNs);
    }
  }

  @Test
  void shouldGrantFurtherAheadOnALongPathWhoseBytesAreTaken() {
    carry(3 * MIB, true);
    assertThat(grants.aheadBytesMax()).isEqualTo(8 * MIB);
  }

  @Test
  void shouldGrantNoFurtherAheadThanTheConnectionsBudget() {
    carry(3 * MIB, true, 6 * MIB);
    assertThat(grants.aheadBytesMax()).isEqualTo(6 * MIB);
  }

  @Test
  void shouldGrantASlowReaderNoFurtherAhead() {
    carry(MIB, true);
    assertThat(grants.aheadBytesMax()).isEqualTo(4 * MIB);
    carry(60 * MIB, false);
    assertThat(grants.aheadBytesMax()).isEqualTo(4 * MIB);
  }

  @Test
  void shouldStopCountingGrantsAheadThatSeeTooLittleForFiveMillisecondsUntilSixteenKilobytesCome() {
    Transaction t = push(MIB);
    grant();
    assertThat(budget.aheadUnits()).isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(grants.nextDeadlineNs()).isEqualTo(nowNs + GrantDoubt.NS_MIN);
    arrive(t, GrantDoubt.PROGRESS_BYTES_MIN - 1, true);
    nowNs += GrantDoubt.NS_MIN - 1;
    grants.onTimeout(nowNs);
    assertThat(budget.aheadUnits()).isPositive();
    nowNs++;
    grants.onTimeout(nowNs);
    assertThat(budget.aheadUnits()).isZero();
    grant();
    assertThat(budget.aheadUnits()).as("in doubt").isZero();
    arrive(t, GrantDoubt.PROGRESS_BYTES_MIN - 1, true);
    arrive(t, 1, true);
    grant();
    assertThat(budget.aheadUnits()).isEqualTo(Limits.GRANT_BYTES_MAX);
    grants.onEnded(t);
    assertThat(budget.aheadUnits()).isZero();
    grants.close();
  }

  @Test
  void shouldGrantOneMessageAfterTheOther() {
    Transaction first = push(300 << 10);
    Transaction second = push(100 << 10);
    grant();
    assertThat(grants.prepared()).isNull();
    assertThat(grant()).isEqualTo(44 << 10);
    assertThat(grants.hasGrant()).isTrue();
    assertThat(grants.prepared()).isSameAs(second);
    assertThat(first.incoming().grantedBytes()).isEqualTo(300 << 10);
  }

  @Test
  void shouldHoldTheBudgetUntilTheSinkHasTakenTheBytes() {
    Transaction t = push(100_000);
    grant();
    assertThat(budget.countedBytes()).isEqualTo(100_000);
    arrive(t, 60_000, false);
    assertThat(budget.countedBytes()).isEqualTo(100_000);
    t.incoming().take(60_000);
    grants.onTaken(t, 60_000);
    assertThat(budget.countedBytes()).isEqualTo(40_000);
    grants.onEnded(t);
    assertThat(budget.countedBytes()).isZero();
    grants.close();
  }

  @Test
  void shouldGrantAMessageThatIsKeptWholeOnlyOnceAllOfItIsReserved() {
    isKeptWhole = true;
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    other.reserve(1, 5 * MIB, false);
    push(4 * MIB);
    assertThat(grants.hasGrant()).as("only 3 MiB are left").isFalse();
    other.release(MIB, false);
    assertThat(grant()).isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(budget.countedBytes()).isEqualTo(8 * MIB);
    assertThat(grant()).as("the rest needs no reservation").isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(budget.countedBytes()).isEqualTo(8 * MIB);
    assertThat(grants.isPossible(4 * MIB)).isTrue();
    assertThat(grants.isPossible(4 * MIB + 1)).isFalse();
    budget.raise(8 * MIB + 2);
    assertThat(grants.isPossible(4 * MIB + 1)).as("with a larger budget").isTrue();
  }

  @Test
  void shouldGrantRangesOfAStreamAsFarAsTheBudgetGoes() {
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    other.reserve(1, 8 * MIB - 20_000, false);
    Transaction t = push(MIB);
    assertThat(grant()).isEqualTo(20_000);
    assertThat(grants.hasGrant()).isFalse();
    arrive(t, 20_000, true);
    assertThat(grant()).as("its own release lets it go on").isEqualTo(20_000);
  }

  @Test
  void shouldStopCountingAGrantWithoutAByteAfterTwentyMillisecondsAndCountItAgainWhenItComes() {
    Transaction t = push(512 << 10);
    grant();
    grant();
    grants.onTimeout(nowNs + GrantDoubt.NS_MIN);
    assertThat(grants.nextDeadlineNs()).isEqualTo(nowNs + PushesAhead.STALL_NS_MIN);
    nowNs += PushesAhead.STALL_NS_MIN - 1;
    grants.onTimeout(nowNs);
    assertThat(budget.givenAwayBytes()).isZero();
    nowNs++;
    grants.onTimeout(nowNs);
    assertThat(budget.countedBytes()).isZero();
    assertThat(budget.givenAwayBytes()).isEqualTo(512 << 10);
    assertThat(counters.value(CounterId.GRANTS_STALLED)).isEqualTo(1);
    assertThat(grants.nextDeadlineNs()).as("nothing more to judge").isEqualTo(Long.MAX_VALUE);
    arrive(t, 1000, false);
    assertThat(budget.countedBytes()).isEqualTo(1000);
    grants.onEnded(t);
    assertThat(budget.countedBytes()).isZero();
    assertThat(budget.givenAwayBytes()).isZero();
    grants.close();
  }

  @Test
  void shouldGrantOthersWhileThePushesThatHoldAllItsGrantsBringNothing() {
    grants = scheduler(false);
    Transaction[] stuck = new Transaction[4];
    for (int i = 0; i < stuck.length; i++) {
      stuck[i] = push(Limits.GRANT_BYTES_MAX);
      grant();
    }
    Transaction other = push(10_000);
    assertThat(grants.hasGrant()).as("a megabyte ahead").isFalse();
    nowNs += PushesAhead.STALL_NS_MIN;
    grants.onTimeout(nowNs);
    assertThat(grant()).isEqualTo(10_000);
    arrive(other, 10_000, true);
    assertThat(budget.givenAwayBytes()).as("not those that came").isEqualTo(MIB);
    assertThat(budget.countedBytes()).isZero();

    Transaction[] more = new Transaction[4];
    for (int i = 0; i < more.length; i++) {
      more[i] = push(Limits.GRANT_BYTES_MAX);
      grant();
    }
    nowNs += PushesAhead.STALL_NS_MIN;
    grants.onTimeout(nowNs);
    push(1);
    assertThat(grants.hasGrant()).as("an eighth of the budget is given away").isFalse();

    arrive(more[0], Limits.GRANT_BYTES_MAX, true);
    assertThat(grant()).as("there is less ahead").isEqualTo(1);
    for (int i = 0; i < 3; i++) {
      grants.onEnded(stuck[i]);
      assertThat(budget.givenAwayBytes()).as("as much is missing still").isEqualTo(MIB);
    }
    arrive(stuck[3], 1000, true);
    assertThat(budget.givenAwayBytes()).isEqualTo(MIB - 1000);
    assertThat(budget.countedBytes()).as("of the last push").isEqualTo(1);
    grants.onEnded(stuck[3]);
    assertThat(budget.givenAwayBytes()).isEqualTo(3 * Limits.GRANT_BYTES_MAX);
  }

  @Test
  void shouldGiveAPushThatStalledNoMoreThanBefore() {
    grants = scheduler(false);
    Transaction stuck = push(64 * MIB);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    nowNs += PushesAhead.STALL_NS_MIN;
    grants.onTimeout(nowNs);
    assertThat(grants.hasGrant()).as("it has a megabyte").isFalse();
    assertThat(budget.givenAwayBytes()).isEqualTo(MIB);
    push(10_000);
    assertThat(grant()).as("another").isEqualTo(10_000);
    arrive(stuck, 10_000, true);
    assertThat(grants.hasGrant()).as("a megabyte is ahead").isFalse();
    arrive(stuck, Limits.GRANT_BYTES_MAX, true);
    assertThat(grant()).as("as fast as it sends").isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(budget.givenAwayBytes()).isEqualTo(3 * Limits.GRANT_BYTES_MAX - 10_000);
  }

  /** What is reserved goes on while others wait for the budget, but not to a push that stalled. */
  @Test
  void shouldGiveAPushThatStalledNothingOfWhatIsReservedForItUntilItsBytesCome() {
    grants = scheduler(false);
    isKeptWhole = true;
    push(7 * MIB); // the oldest, for which there is never room
    Transaction stuck = push(3 * MIB);
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 4; i++) {
        assertThat(grants.hasGrant()).isTrue();
        assertThat(grants.prepared()).isSameAs(stuck);
        grant();
      }
      nowNs += PushesAhead.STALL_NS_MIN;
      grants.onTimeout(nowNs);
      assertThat(budget.givenAwayBytes()).isEqualTo(MIB);
      if (round == 0) {
        assertThat(budget.reserve(1, 8 * MIB, false, false)).isEqualTo(6 * MIB); // others
        push(10_000);
      }
      assertThat(grants.hasGrant()).as("the short one has no room").isFalse();
      arrive(stuck, MIB, false);
    }
    for (int i = 0; i < 4; i++) {
      arrive(stuck, grant(), false);
    }
    assertThat(stuck.incoming().arrivedBytes()).isEqualTo(3 * MIB);
    assertThat(grants.hasGrant()).isFalse();
  }

  @Test
  void shouldCountStalledGrantsAsAheadOnAnOrderedConnection() {
    push(MIB);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    push(10_000);
    nowNs += PushesAhead.STALL_NS_MIN;
    grants.onTimeout(nowNs);
    assertThat(budget.givenAwayBytes()).isEqualTo(MIB);
    assertThat(grants.hasGrant()).as("it could not be delivered first").isFalse();
  }

  @Test
  void shouldTryAgainToGiveAwayWhatTheNodeHadNoRoomFor() {
    GrantScheduler other = scheduler(false);
    grants = other;
    Transaction first = push(MIB);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    nowNs += PushesAhead.STALL_NS_MIN;
    other.onTimeout(nowNs);
    assertThat(budget.givenAwayBytes()).as("all that may be").isEqualTo(MIB);

    grants = scheduler(false);
    push(MIB);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    grants.onTimeout(nowNs + GrantDoubt.NS_MIN);
    long waitNs = PushesAhead.STALL_NS_MIN;
    for (int i = 0; i < 10; i++) {
      assertThat(grants.nextDeadlineNs()).as("try %s", i).isEqualTo(nowNs + waitNs);
      nowNs += waitNs;
      grants.onTimeout(nowNs);
      waitNs = Math.min(PushesAhead.AGAIN_NS_MAX, 2 * waitNs);
    }
    assertThat(waitNs).isEqualTo(PushesAhead.AGAIN_NS_MAX);
    assertThat(budget.countedBytes()).isEqualTo(MIB);
    other.onEnded(first);
    nowNs += waitNs;
    grants.onTimeout(nowNs);
    assertThat(budget.countedBytes()).isZero();
    assertThat(budget.givenAwayBytes()).isEqualTo(MIB);
    assertThat(grants.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldCountNoProgressBelowSixteenKilobytesUnlessTheyAreAll() {
    Transaction t = push(GrantDoubt.PROGRESS_BYTES_MIN * 2 + 1);
    grant();
    long deadlineNs = grants.nextDeadlineNs();
    nowNs += 1_000;
    arrive(t, GrantDoubt.PROGRESS_BYTES_MIN - 1, true);
    assertThat(grants.nextDeadlineNs()).as("a byte short").isEqualTo(deadlineNs);
    arrive(t, 1, true);
    assertThat(grants.nextDeadlineNs()).isEqualTo(deadlineNs + 1_000);
    arrive(t, 1, true);
    nowNs += PushesAhead.STALL_NS_MIN;
    grants.onTimeout(nowNs);
    assertThat(budget.givenAwayBytes()).isEqualTo(GrantDoubt.PROGRESS_BYTES_MIN);
    arrive(t, GrantDoubt.PROGRESS_BYTES_MIN - 1, true);
    assertThat(budget.givenAwayBytes()).as("one is missing").isEqualTo(1);
    arrive(t, 1, true);
    assertThat(budget.givenAwayBytes()).isZero();
    assertThat(grants.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldStopCountingGrantsOfWhichAByteComesNowAndThen() {
    Transaction t = push(512 << 10);
    grant();
    grant();
    for (int i = 0; i < 4; i++) {
      nowNs += PushesAhead.STALL_NS_MIN / 2;
      arrive(t, 1, true);
      grants.onTimeout(nowNs);
    }
    assertThat(budget.countedBytes()).isLessThanOrEqualTo(2);
    assertThat(budget.givenAwayBytes()).isGreaterThanOrEqualTo((512 << 10) - 4);
  }

  @Test
  void shouldWaitFourRoundTripsWhereThatIsLonger() {
    srttNs = 10_000_000;
    push(1000);
    grant();
    assertThat(grants.nextDeadlineNs()).isEqualTo(nowNs + 40_000_000);
  }

  @Test
  void shouldBarTheConnectionWhoseApplicationTakesNothingForATenthOfASecond() {
    Transaction t = push(4 * MIB);
    for (int i = 0; i < 6; i++) {
      arrive(t, grant(), false);
    }
    grants.onBurstEnd(nowNs);
    nowNs += StaleBytes.STALE_NS - 1;
    grants.onTimeout(nowNs);
    assertThat(grants.hasGrant()).as("1.5 MiB untaken, but not for long yet").isTrue();
    grants.onGranted(nowNs);
    nowNs++;
    grants.onTimeout(nowNs);
    assertThat(budget.staleBytes()).isEqualTo(6L * Limits.GRANT_BYTES_MAX);
    assertThat(grants.hasGrant()).as("more than an eighth").isFalse();
    t.incoming().take(MIB / 2);
    grants.onTaken(t, MIB / 2);
    assertThat(grants.hasGrant()).as("an eighth").isTrue();
  }

  @Test
  void shouldGrantTheRestOfAMessageThatIsKeptWholeThoughNothingOfItIsTaken() {
    isKeptWhole = true;
    Transaction whole = push(4 * MIB);
    for (int i = 0; i < 6; i++) {
      arrive(whole, grant(), false);
    }
    grants.onBurstEnd(nowNs);
    nowNs += StaleBytes.STALE_NS;
    grants.onTimeout(nowNs);
    assertThat(budget.staleBytes()).isEqualTo(6L * Limits.GRANT_BYTES_MAX);
    for (int i = 6; i < 16; i++) {
      arrive(whole, grant(), false);
    }
    assertThat(whole.incoming().arrivedBytes()).as("its sink can take it now").isEqualTo(4 * MIB);
    push(1_000);
    assertThat(grants.hasGrant()).as("another has no reservation").isFalse();
  }

  @Test
  void shouldKeepThePlaceOfTheOldestPullWhenAnotherMessageEnds() {
    grants = scheduler(false);
    Transaction oldest = pull(MIB);
    assertThat(grants.reservePull(oldest)).isTrue();
    oldest.learnAnswerLength(MIB);
    grants.onAnswerLength(oldest);
    Transaction another = pull(1_000);
    assertThat(grants.reservePull(another)).isTrue();
    budget.reserve(1, 8 * MIB, false, false);
    assertThat(grants.hasGrant()).as("no room").isFalse();
    BudgetAccount behind = new BudgetAccount(budget, () -> {});
    assertThat(behind.reserve(MIB, MIB, false)).isZero();
    grants.onEnded(another);
    budget.release(Limits.GRANT_BYTES_MAX, false);
    assertThat(grants.hasGrant()).as("its turn comes before").isTrue();
    assertThat(grants.prepared()).isSameAs(oldest);
  }

  @Test
  void shouldReserveTheBeginningOfAnAnswerAndReturnWhatAShorterOneDoesNotNeed() {
    Transaction t = pull(MIB);
    assertThat(grants.reservePull(t)).isTrue();
    assertThat(budget.pullBytes()).isEqualTo(Limits.PULL_RESERVATION_BYTES_MAX);
    t.learnAnswerLength(1000);
    grants.onAnswerLength(t);
    assertThat(budget.pullBytes()).isEqualTo(1000);
    arrive(t, 1000, true);
    assertThat(budget.pullBytes()).isZero();
    grants.onEnded(t);
    grants.close();
  }

  @Test
  void shouldGrantTheRestOfALongAnswerAndLetOnePullWaitBeyondHalfTheBudget() {
    Transaction t = pull(4 * MIB);
    grants.reservePull(t);
    t.learnAnswerLength(4 * MIB);
    grants.onAnswerLength(t);
    assertThat(grant()).isEqualTo(Limits.GRANT_BYTES_MAX);
    assertThat(t.incoming().grantedBytes())
        .isEqualTo(Limits.PULL_RESERVATION_BYTES_MAX + Limits.GRANT_BYTES_MAX);
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    other.reserve(1, 4 * MIB - Limits.GRANT_BYTES_MAX - Limits.PULL_RESERVATION_BYTES_MAX, true);
    assertThat(budget.pullBytes()).isEqualTo(4 * MIB);
    assertThat(grants.reservePull(pull(1))).isFalse();
    assertThat(grants.reservePull(pull(0))).as("a pull of nothing needs nothing").isTrue();
  }

  @Test
  void shouldTakeAPreparedGrantBackWhenItsTransactionEnds() {
    Transaction t = push(1000);
    assertThat(grants.hasGrant()).isTrue();
    grants.onEnded(t);
    assertThat(grants.hasGrant()).isFalse();
    assertThat(budget.countedBytes()).isZero();
    grants.close();
  }

  @Test
  void shouldPassItsTurnAtTheBudgetOnWhenItsOwnLimitForbidsToUseIt() {
    push(900 << 10);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    BudgetAccount holder = new BudgetAccount(budget, () -> {});
    long rest = 8 * MIB - (900 << 10);
    int[] wakes = {0};
    BudgetAccount behind = new BudgetAccount(budget, () -> wakes[0]++);
    BudgetAccount half = new BudgetAccount(budget, () -> {});
    assertThat(holder.reserve(4 * MIB, 4 * MIB, false)).isEqualTo(4 * MIB);
    assertThat(half.reserve(rest - 4 * MIB, rest - 4 * MIB, false)).isEqualTo(rest - 4 * MIB);
    Transaction small = push(50 << 10);
    push(MIB);
    assertThat(grants.hasGrant()).as("waits for the budget").isFalse();
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).as("waits behind").isZero();
    grants.onEnded(small);

    holder.release(4 * MIB, false);
    assertThat(wakes[0]).as("it is not its turn yet").isZero();
    assertThat(grants.hasGrant()).as("what comes next would be too far ahead").isFalse();
    assertThat(wakes[0]).isEqualTo(1);
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).isEqualTo(20 << 10);
  }

  @Test
  void shouldPassAnUnusedTurnAtTheBudgetOnWhenNothingMoreCanBeTransmitted() {
    BudgetAccount holder = new BudgetAccount(budget, () -> {});
    BudgetAccount half = new BudgetAccount(budget, () -> {});
    holder.reserve(4 * MIB, 4 * MIB, false);
    half.reserve(4 * MIB, 4 * MIB, false);
    push(100 << 10);
    assertThat(grants.hasGrant()).as("waits for the budget").isFalse();
    int[] wakes = {0};
    BudgetAccount behind = new BudgetAccount(budget, () -> wakes[0]++);
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).as("waits behind").isZero();
    grants.onTransmitting();
    grants.passUnusedTurn();
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).as("a mere place is kept").isZero();

    grants.onTransmitting();
    holder.release(4 * MIB, false);
    assertThat(wakes[0]).isZero();
    grants.passUnusedTurn();
    assertThat(wakes[0]).as("told while it transmitted: for the next time").isZero();
    grants.onTransmitting();
    grants.passUnusedTurn();
    assertThat(wakes[0]).isEqualTo(1);
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).isEqualTo(20 << 10);
    assertThat(grant()).as("and asks again itself").isEqualTo(100 << 10);
  }

  @Test
  void shouldKeepItsPlaceAmongThoseThatWaitThoughItCouldNotUseATurnNow() {
    push(900 << 10);
    for (int i = 0; i < 4; i++) {
      grant();
    }
    BudgetAccount holder = new BudgetAccount(budget, () -> {});
    BudgetAccount half = new BudgetAccount(budget, () -> {});
    long rest = 4 * MIB - (900 << 10);
    holder.reserve(4 * MIB, 4 * MIB, false);
    half.reserve(rest, rest, false);
    Transaction small = push(50 << 10);
    push(100 << 10);
    assertThat(grants.hasGrant()).isFalse();
    BudgetAccount behind = new BudgetAccount(budget, () -> {});
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).isZero();
    assertThat(grants.hasGrant()).isFalse();
    grants.onEnded(small);

    holder.release(4 * MIB, false);
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).as("still behind").isZero();
    assertThat(grant()).isEqualTo(100 << 10);
    assertThat(behind.reserve(20 << 10, 20 << 10, false)).isEqualTo(20 << 10);
  }

  private Transaction granted() {
    assertThat(grants.hasGrant()).isTrue();
    Transaction t = grants.prepared();
    long bytes = grants.preparedBytes();
    grants.onGranted(nowNs);
    arrive(t, bytes, true);
    return t;
  }

  @Test
  void shouldGrantTheShortestFirstAndOneGrantInEightToTheOldestWhereUnordered() {
    grants = scheduler(false);
    Transaction oldest = push(64 * MIB);
    Transaction shorter = push(32 * MIB);
    Transaction shortest = push(Limits.GRANT_BYTES_MAX + 1);
    assertThat(granted()).isSameAs(shortest);
    assertThat(granted()).isSameAs(shortest);
    for (int round = 0; round < 4; round++) {
      for (int i = round == 0 ? 2 : 0; i < 7; i++) {
        assertThat(granted()).isSameAs(shorter);
      }
      assertThat(granted()).isSameAs(oldest);
    }
    assertThat(oldest.incoming().grantedBytes()).isEqualTo(4L * Limits.GRANT_BYTES_MAX);
  }

  @Test
  void shouldEndALongMessageAmongShortOnesWithoutEndWhereUnordered() {
    grants = scheduler(false);
    Transaction oldest = push(MIB);
    push(1_000);
    int shorts = 0;
    while (oldest.incoming().grantedBytes() < MIB) {
      if (granted() != oldest) {
        shorts++;
        push(1_000);
      }
    }
    assertThat(shorts).isEqualTo(4 * 7);
  }

  @Test
  void shouldGoOnWithWhatIsReservedThoughAShorterOneWaitsForTheBudget() {
    grants = scheduler(false);
    isKeptWhole = true;
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    long most = 11 * MIB / 2;
    assertThat(other.reserve(most, most, false)).isEqualTo(most);
    Transaction reserved = push(2 * MIB);
    assertThat(grantedUntaken()).isSameAs(reserved);
    Transaction shorter = push(MIB);
    assertThat(grantedUntaken()).as("there is no room for the shorter").isSameAs(reserved);
    other.release(MIB, false);
    assertThat(grantedUntaken()).isSameAs(shorter);
  }

  private Transaction grantedUntaken() {
    assertThat(grants.hasGrant()).isTrue();
    Transaction t = grants.prepared();
    grants.onGranted(nowNs);
    t.incoming().addMissing(t.incoming().hereBytes(), t.incoming().grantedBytes());
    grants.onArrived(t, t.incoming().missingBytes(), nowNs);
    return t;
  }

  @Test
  void shouldGrantTheOldestAnswerThoughTheOthersHoldThePartOfThePullsWhereUnordered() {
    grants = scheduler(false);
    isKeptWhole = true;
    BudgetAccount other = new BudgetAccount(budget, () -> {});
    Transaction oldest = pull(3 * MIB);
    Transaction shorter = pull(2 * MIB);
    for (Transaction t : new Transaction[] {oldest, shorter}) {
      assertThat(grants.reservePull(t)).isTrue();
      t.learnAnswerLength(t.lengthBytes());
      grants.onAnswerLength(t);
    }
    long part = 4 * MIB - 2 * Limits.PULL_RESERVATION_BYTES_MAX;
    assertThat(other.reserve(part, part, true)).isEqualTo(part);
    assertThat(grants.hasGrant()).isTrue();
    assertThat(grants.prepared()).as("the shorter has no room in the pulls' half").isSameAs(oldest);
  }

  @Test
  void shouldNotGrantTheOldestAnswerFurtherAheadForThatWhereUnordered() {
    grants = scheduler(false);
    for (long length : new long[] {64 * MIB, 32 * MIB}) {
      Transaction t = pull(length);
      assertThat(grants.reservePull(t)).isTrue();
      t.learnAnswerLength(length);
      grants.onAnswerLength(t);
    }
    for (int i = 0; i < 3; i++) {
      grant();
    }
    assertThat(grants.hasGrant()).as("a megabyte ahead, and the budget has room").isFalse();
  }
}
