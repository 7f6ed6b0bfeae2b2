package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;
import org.junit.jupiter.api.Test;

class CreditAllowanceTest {
  private static final int INITIAL = 16 << 10;

  @Test
  void shouldTakeThePeersLastByteAndNotOneMore() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(0));
    assertThat(allowance.charge(INITIAL)).isTrue();
    assertThat(allowance.charge(1)).isFalse();
  }

  @Test
  void shouldRaiseTheLimitByWhatWasTakenAndNoMoreWithoutAPool() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(0));
    allowance.charge(INITIAL);
    allowance.giveBack(1000);
    assertThat(allowance.limitBytes()).isEqualTo(INITIAL + 1000);
    assertThat(allowance.usedBytes()).isEqualTo(INITIAL - 1000);
  }

  @Test
  void shouldDoubleWhileThePeerUsesMoreThanHalfUpToTwoMegabytes() {
    CreditPool pool = new CreditPool(64 << 20);
    CreditAllowance allowance = new CreditAllowance(INITIAL, pool);
    allowance.charge(INITIAL / 2);
    allowance.giveBack(INITIAL / 2);
    assertThat(allowance.limitBytes())
        .as("half is not more than half")
        .isEqualTo(INITIAL + INITIAL / 2);
    for (int i = 0; i < 20; i++) {
      long all = allowance.limitBytes() - (allowance.limitBytes() - room(allowance));
      allowance.charge(all);
      allowance.giveBack(all);
      allowance.tell(0);
    }
    assertThat(room(allowance)).isEqualTo(Limits.CREDIT_BYTES_MAX);
    assertThat(pool.usedBytes()).isEqualTo(Limits.CREDIT_BYTES_MAX - INITIAL);
    allowance.close();
    assertThat(pool.usedBytes()).isZero();
  }

  @Test
  void shouldGrowWhenThePeerSpendsAllThoughEachMessageIsTakenAtOnce() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(64 << 20));
    for (int round = 0; round < 20; round++) {
      for (long left = room(allowance); left >= 96; left -= 96) {
        assertThat(allowance.charge(96)).isTrue();
        allowance.giveBack(96);
      }
      allowance.tell(0);
    }
    assertThat(room(allowance)).isEqualTo(Limits.CREDIT_BYTES_MAX);
  }

  @Test
  void shouldDoubleOnceForEachTimeThatTheLimitIsTold() {
    CreditPool pool = new CreditPool(64 << 20);
    CreditAllowance allowance = new CreditAllowance(INITIAL, pool);
    allowance.charge(INITIAL);
    for (int i = 0; i < 16; i++) {
      allowance.giveBack(INITIAL / 16);
    }
    assertThat(room(allowance)).isEqualTo(2 * INITIAL);
    assertThat(pool.usedBytes()).isEqualTo(INITIAL);
  }

  @Test
  void shouldNotGrowWhileThePeerLeavesHalfOfItUnspent() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(64 << 20));
    for (int round = 0; round < 1_000; round++) {
      allowance.charge(INITIAL / 2);
      allowance.giveBack(INITIAL / 2);
      allowance.tell(0);
    }
    assertThat(room(allowance)).isEqualTo(INITIAL);
  }

  @Test
  void shouldGrowWhenTheApplicationTakesMoreThanHalfOfItInARoundTrip() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(64 << 20));
    allowance.tell(100);
    // A full pipe: little arrives at a time, and is taken and told at once, so the peer always
    // seems to have plenty.
    for (int psn = 101; psn < 101 + 8; psn++) {
      allowance.charge(1024);
      allowance.giveBack(1024);
      allowance.onAcknowledged(acknowledged(-1));
      assertThat(allowance.tell(psn)).isEqualTo(INITIAL + (psn - 100) * 1024L);
    }
    allowance.onAcknowledged(acknowledged(100));
    allowance.tell(109);
    assertThat(room(allowance)).as("half is not more than half").isEqualTo(INITIAL);
    for (int psn = 110; psn < 110 + 9; psn++) {
      allowance.charge(1024);
      allowance.giveBack(1024);
      allowance.tell(psn);
    }
    allowance.onAcknowledged(acknowledged(109));
    allowance.tell(119);
    assertThat(room(allowance)).isEqualTo(2 * INITIAL);
  }

  private static AcknowledgementView acknowledged(int psn) {
    return new AcknowledgementView() {
      @Override
      public boolean isAcknowledged(WindowClass windowClass, int asked) {
        return windowClass == WindowClass.DATA && asked == psn;
      }

      @Override
      public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
        return isAcknowledged(windowClass, psn);
      }

      @Override
      public boolean isAllAcknowledged() {
        return false;
      }
    };
  }

  private static long room(CreditAllowance allowance) {
    long low = 0;
    long high = 4L << 20;
    // Charged and returned are private: the room is what can still be charged.
    CreditProbe probe = new CreditProbe(allowance);
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (probe.fits(middle)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private record CreditProbe(CreditAllowance allowance) {
    boolean fits(long bytes) {
      boolean fits = allowance.charge(bytes);
      allowance.charge(-bytes);
      return fits;
    }
  }

  @Test
  void shouldLetGoWhatIsAboveItsShareWhenThePoolIsShortAndNeverLowerTheLimit() {
    CreditPool pool = new CreditPool(256 << 10);
    CreditAllowance greedy = new CreditAllowance(INITIAL, pool);
    for (int i = 0; i < 20; i++) {
      long all = room(greedy);
      greedy.charge(all);
      greedy.giveBack(all);
      greedy.tell(0);
    }
    assertThat(pool.usedBytes()).isEqualTo(256 << 10);
    CreditAllowance other = new CreditAllowance(INITIAL, pool);
    long limit = greedy.limitBytes();
    for (int i = 0; i < 200; i++) {
      greedy.charge(1000);
      greedy.giveBack(1000);
      greedy.tell(0);
      assertThat(greedy.limitBytes()).isGreaterThanOrEqualTo(limit);
      limit = greedy.limitBytes();
      long all = room(other);
      other.charge(all);
      other.giveBack(all);
      other.tell(0);
    }
    assertThat(room(other)).as("the other got some").isGreaterThan(2 * INITIAL);
    assertThat(pool.usedBytes()).isLessThanOrEqualTo(256 << 10);
  }

  @Test
  void shouldFindItWorthTellingAtAQuarterOrWhenThePeerRunsShort() {
    CreditAllowance allowance = new CreditAllowance(INITIAL, new CreditPool(0));
    assertThat(allowance.isWorthTelling()).isFalse();
    allowance.charge(100);
    allowance.giveBack(100);
    assertThat(allowance.isWorthTelling()).as("little rose, and the peer has plenty").isFalse();
    allowance.charge(INITIAL / 2);
    assertThat(allowance.isWorthTelling())
        .as("it has less than half of what it had at first")
        .isTrue();
    allowance.tell(0);
    assertThat(allowance.isWorthTelling()).isFalse();
    allowance.giveBack(INITIAL / 4);
    assertThat(allowance.isWorthTelling()).isTrue();
  }

  private static final long LONG_NS = 100_000_000;

  /**
   * A second in which the application takes {@code bytes} a round trip, told in 20 turns of each.
   */
  private static CreditAllowance afterTaking(long bytes, long bytesMost, CreditPool pool) {
    CreditAllowance allowance = new CreditAllowance((int) Limits.CREDIT_BYTES_MAX, bytesMost, pool);
    for (int turn = 0; turn < 200; turn++) {
      allowance.charge(bytes / 20);
      allowance.giveBack(bytes / 20);
      allowance.onTurn(LONG_NS, turn * (LONG_NS / 20));
    }
    return allowance;
  }

  private static long ahead(CreditAllowance allowance) {
    return allowance.limitBytes() - allowance.chargedBytes();
  }

  @Test
  void shouldFollowWhatTheApplicationTakesInARoundTrip() {
    CreditPool pool = new CreditPool(64 << 20);
    assertThat(ahead(afterTaking(3 << 20, 64 << 20, pool))).isEqualTo(8 << 20);
    assertThat(pool.usedBytes()).isEqualTo(6 << 20);
  }

  @Test
  void shouldGiveASlowReaderNoMoreThanItTakes() {
    CreditPool pool = new CreditPool(64 << 20);
    assertThat(ahead(afterTaking(1_000_000, 64 << 20, pool))).isEqualTo(Limits.CREDIT_BYTES_MAX);
    assertThat(pool.usedBytes()).isZero();
  }

  @Test
  void shouldKeepToTheConnectionsBudgetAndToThePool() {
    assertThat(ahead(afterTaking(60 << 20, 16 << 20, new CreditPool(1L << 30))))
        .isEqualTo(16 << 20);
    assertThat(ahead(afterTaking(60 << 20, 64 << 20, new CreditPool(1 << 20)))).isEqualTo(3 << 20);
  }
}
