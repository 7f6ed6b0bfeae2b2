package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.WindowClass;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Both ends over a window that loses nothing and reorders everything, seed by seed. */
class TwoEndedSolicitationTest {
  private static final int SEEDS = 120;
  private static final int ENDING_SEEDS = 150;
  private static final int STEPS_MAX = 400_000;

  private final long[] totals = new long[CounterId.values().length];

  @Test
  void shouldEndEachTransactionOnceInOrderWithItsContentWhateverTheOrderOfPackets() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      try {
        run(seed);
      } catch (Throwable failure) {
        throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
      }
    }
    for (CounterId id :
        new CounterId[] {
          CounterId.REQUESTS_SOLICITED,
          CounterId.GRANTS_PARTIAL,
          CounterId.GRANTS_STALLED,
          CounterId.CREDIT_STALLS,
          CounterId.TRANSACTIONS_COMPLETED,
          CounterId.TRANSACTIONS_FAILED
        }) {
      assertThat(totals[id.ordinal()]).as("the seeds never showed %s", id).isPositive();
    }
  }

  @Test
  void shouldEndAllThatIsOpenExactlyOnceAndGiveEverythingBackWhenTheConnectionEndsInTheMiddle() {
    for (long seed = 1_000; seed < 1_000 + ENDING_SEEDS; seed++) {
      try {
        runAndEnd(seed);
      } catch (Throwable failure) {
        throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
      }
    }
  }

  private static void runAndEnd(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SolicitationPair pair = new SolicitationPair(random, settings(random));
    int steps = random.nextInt(2_000);
    for (int i = 0; i < steps; i++) {
      submit(pair.left, random, 1 << 20);
      submit(pair.right, random, 1 << 20);
      pair.step();
    }
    for (SolicitationPair.End end : new SolicitationPair.End[] {pair.left, pair.right}) {
      end.application.isEnding = true;
      end.endAll(9, "aborted");
      assertThat(end.transactions.submitPush(null, 0, 0, null, 0, 0, 0, true)).isFalse();
      assertThat(end.solicitation.hasRecords(WindowClass.DATA, pair.nowNs)).isFalse();
      assertThat(end.solicitation.nextDeadlineNs()).isEqualTo(Long.MAX_VALUE);
      end.application.checkNoneOpen();
    }
    pair.checkReleased();
    assertThat(pair.budgets.credit().usedBytes()).isZero();
  }

  private void run(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    SolicitationPair pair = new SolicitationPair(random, settings(random));
    int count = 20 + random.nextInt(100);
    long bytesLeft = 6 << 20;
    int submittedLeft = count;
    int submittedRight = count;
    int steps = 0;
    while (!isOver(pair, submittedLeft + submittedRight)) {
      if (submittedLeft > 0 && random.nextInt(4) == 0 && submit(pair.left, random, bytesLeft)) {
        submittedLeft--;
        bytesLeft -= lastLength(pair.left);
      }
      if (submittedRight > 0 && random.nextInt(4) == 0 && submit(pair.right, random, bytesLeft)) {
        submittedRight--;
        bytesLeft -= lastLength(pair.right);
      }
      if (random.nextInt(50) == 0) {
        pair.left.isCongested = random.nextBoolean();
        pair.right.isCongested = random.nextBoolean();
        pair.left.roomBytes = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(4_096);
        pair.right.roomBytes = random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(4_096);
      }
      pair.step();
      assertThat(steps++).as("no progress: %s", pair).isLessThan(STEPS_MAX);
    }
    pair.left.solicitation.finish();
    pair.right.solicitation.finish();
    for (int i = 0;
        i < 20_000
            && !(pair.left.solicitation.isFinished() && pair.right.solicitation.isFinished());
        i++) {
      pair.step();
    }
    assertThat(pair.left.solicitation.isFinished()).isTrue();
    assertThat(pair.right.solicitation.isFinished()).isTrue();
    pair.checkAtRest();
    for (CounterId id : CounterId.values()) {
      totals[id.ordinal()] += pair.left.counters.value(id) + pair.right.counters.value(id);
    }
  }

  private static SolicitationPair.Settings settings(SplittableRandom random) {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.datagramLength = new int[] {576, 1232, 1408, 8192}[random.nextInt(4)];
    settings.outstandingMax = 1 << (4 + random.nextInt(5));
    settings.budgetBytes = random.nextInt(3) == 0 ? 4 << 20 : 64 << 20;
    settings.poolBytes = random.nextInt(3) == 0 ? 0 : 1 << 20;
    settings.reorderCapacity = random.nextInt(3) == 0 ? 16 : 1024;
    settings.flightMax = 32 << random.nextInt(6);
    settings.firstRsn = random.nextInt(3) == 0 ? random.nextInt() : -random.nextInt(100);
    settings.firstSsn = random.nextInt(3) == 0 ? random.nextInt() : -random.nextInt(20);
    settings.isOrdered = random.nextBoolean();
    return settings;
  }

  private static boolean isOver(SolicitationPair pair, int toSubmit) {
    return toSubmit == 0
        && pair.left.transactions.isAllHandedUp()
        && pair.right.transactions.isAllHandedUp();
  }

  private static boolean submit(SolicitationPair.End end, SplittableRandom random, long bytesLeft) {
    long length = (long) Math.exp(random.nextDouble(Math.log(1 << 20))) - 1;
    return end.application.submit(random.nextInt(3) == 0, Math.min(length, Math.max(0, bytesLeft)));
  }

  private static long lastLength(SolicitationPair.End end) {
    return end.application.submitted.get(end.application.submitted.size() - 1).length;
  }
}
