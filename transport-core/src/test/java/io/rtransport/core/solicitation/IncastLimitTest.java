package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class IncastLimitTest {
  private static final long SHORT_NS = 100_000;
  private static final long MS = 1_000_000;
  private static final long PIECE = 16 << 10;

  private final NodeBudget budget = new NodeBudget(64 << 20);
  private final IncastLimit limit = budget.incast();
  private final List<String> told = new ArrayList<>();
  private long nowNs = 7;

  /** A budget whose node has received so fast that the limit holds nothing back. */
  static NodeBudget fast(NodeBudget budget) {
    budget.incast().onArrived(0, false, 0);
    budget.incast().onArrived(100 << 20, false, MS);
    return budget;
  }

  private BudgetAccount account(String name) {
    return new BudgetAccount(budget, () -> told.add(name));
  }

  private long roundTripNs(long smoothedNs, long leastNs) {
    return limit.roundTripNs(smoothedNs, leastNs);
  }

  /** Grants as much as there is room for, by {@link #PIECE}. */
  private long grant(BudgetAccount account, long pathNs) {
    long bytes = 0;
    long roundTripNs = roundTripNs(pathNs, pathNs);
    while (bytes < 4 << 20 && account.hasIncastRoom(PIECE, roundTripNs)) {
      account.onAhead(PIECE, roundTripNs);
      bytes += PIECE;
    }
    return bytes;
  }

  /** A period of 1 ms in which {@code bytes} arrive. */
  private void period(long bytes, boolean hasGap) {
    nowNs += MS;
    limit.onArrived(bytes, hasGap, nowNs);
  }

  @Test
  void shouldGrantAQuarterMegabyteBeforeARateIsMeasuredAndNotOneByteMore() {
    account("first").onAhead(PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    assertThat(PIECE + grant(account("a"), SHORT_NS)).isEqualTo(IncastLimit.UNMEASURED_BYTES);
    BudgetAccount other = account("b");
    assertThat(other.hasIncastRoom(1, roundTripNs(50 * MS, 50 * MS))).isFalse();
  }

  @Test
  void shouldGrantTwoRoundTripsOfTheRate() {
    period(0, false);
    period(500_000, false); // 500 MB/s: 500,000 bytes are two times 0.5 ms
    account("a").onAhead(1, roundTripNs(SHORT_NS, SHORT_NS));
    BudgetAccount other = account("b");
    long roundTripNs = roundTripNs(SHORT_NS, SHORT_NS);
    assertThat(other.hasIncastRoom(499_999, roundTripNs)).isTrue();
    assertThat(other.hasIncastRoom(500_000, roundTripNs)).isFalse();
  }

  @Test
  void shouldGrantEightSendersAPieceEachAtAnyRate() {
    period(0, false);
    period(1_000, false);
    for (int i = 0; i < 8; i++) {
      BudgetAccount sender = account("sender " + i);
      assertThat(sender.hasIncastRoom(PIECE, roundTripNs(SHORT_NS, SHORT_NS))).isTrue();
      sender.onAhead(PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    }
    assertThat(account("ninth").hasIncastRoom(1, roundTripNs(SHORT_NS, SHORT_NS))).isFalse();
  }

  @Test
  void shouldCountBytesInProportionToTheRoundTrip() {
    period(0, false);
    period(500_000, false);
    BudgetAccount far = account("far");
    far.onAhead(1 << 20, roundTripNs(50 * MS, 50 * MS));
    assertThat(far.aheadUnits()).isEqualTo((1 << 20) / 100 + 1);
    assertThat(account("near").hasIncastRoom(480_000, roundTripNs(SHORT_NS, SHORT_NS))).isTrue();
  }

  @Test
  void shouldNotLimitAConnectionThatIsAloneAndKeepHalfForTheNext() {
    period(0, false);
    period(1_000, false);
    BudgetAccount alone = account("alone");
    assertThat(grant(alone, SHORT_NS)).as("until the test stops").isEqualTo(4 << 20);
    assertThat(alone.aheadUnits()).isEqualTo(IncastLimit.LEAST_BYTES / 2);
    assertThat(grant(account("next"), SHORT_NS)).isEqualTo(IncastLimit.LEAST_BYTES / 2);
    assertThat(alone.hasIncastRoom(1, roundTripNs(SHORT_NS, SHORT_NS))).isFalse();
  }

  @Test
  void shouldTellTheFirstOfThoseWhoWaitWhenEnoughHasArrived() {
    account("first").onAhead(PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    BudgetAccount a = account("a");
    a.onAhead(IncastLimit.UNMEASURED_BYTES - PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    BudgetAccount b = account("b");
    BudgetAccount c = account("c");
    assertThat(b.hasIncastRoom(PIECE, roundTripNs(SHORT_NS, SHORT_NS))).isFalse();
    assertThat(c.hasIncastRoom(1, roundTripNs(SHORT_NS, SHORT_NS))).isFalse();
    long left = IncastLimit.UNMEASURED_BYTES - 2 * PIECE;
    a.atMostAhead(left + 1, roundTripNs(SHORT_NS, SHORT_NS));
    assertThat(told).as("one byte too few").isEmpty();
    a.atMostAhead(left, roundTripNs(SHORT_NS, SHORT_NS));
    assertThat(told).containsExactly("b");
    assertThat(b.hasIncastRoom(PIECE, roundTripNs(SHORT_NS, SHORT_NS))).isTrue();
    assertThat(b.reserve(PIECE, PIECE, false)).as("with the turn that was kept").isEqualTo(PIECE);
  }

  @Test
  void shouldWaitAgainAfterATurnThatItDidNotNeed() {
    account("first").onAhead(PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    BudgetAccount a = account("a");
    a.onAhead(IncastLimit.UNMEASURED_BYTES - PIECE, roundTripNs(SHORT_NS, SHORT_NS));
    BudgetAccount b = account("b");
    assertThat(b.hasIncastRoom(PIECE, roundTripNs(SHORT_NS, SHORT_NS))).isFalse();
    b.useTurn();
    a.atMostAhead(0, roundTripNs(SHORT_NS, SHORT_NS));
    assertThat(told).as("it had none before").containsExactly("b");
    b.useTurn(); // for what was reserved, as one whose grants do not count
    assertThat(b.hasIncastRoom(PIECE, roundTripNs(SHORT_NS, SHORT_NS))).isTrue();
  }

  @Test
  void shouldTakeTheSmoothedRoundTripAndTwiceTheLeastWhilePacketsAreMissing() {
    assertThat(roundTripNs(50 * MS, 2 * MS)).as("no rate yet").isEqualTo(500_000);
    period(0, false);
    period(1_000, false);
    assertThat(roundTripNs(50 * MS, 2 * MS)).isEqualTo(50 * MS);
    period(1_000, true);
    assertThat(roundTripNs(50 * MS, 2 * MS)).isEqualTo(4 * MS);
    nowNs += IncastLimit.GAP_NS - MS - 1;
    period(1_000, false);
    assertThat(roundTripNs(50 * MS, 2 * MS)).as("1 ns less than 100 ms later").isEqualTo(4 * MS);
    period(1_000, false);
    assertThat(roundTripNs(50 * MS, 2 * MS)).isEqualTo(50 * MS);
  }

  @Test
  void shouldLowerTheRateOnlyByPeriodsInWhichAGrantHadToWait() {
    period(0, false);
    period(1_000_000, false);
    long before = limit.roomUnits();
    period(0, false);
    assertThat(limit.roomUnits()).as("the senders had no more").isEqualTo(before);
    limit.onShort();
    period(0, false);
    assertThat(limit.roomUnits()).isEqualTo(before - before / 16);
    period(0, false);
    assertThat(limit.roomUnits()).as("only once").isEqualTo(before - before / 16);
  }

  @Test
  void shouldMeasureNoPeriodBelowAMillisecond() {
    period(0, false);
    limit.onArrived(1 << 20, false, nowNs + MS - 1);
    assertThat(limit.roomUnits()).isEqualTo(IncastLimit.UNMEASURED_BYTES);
    limit.onArrived(0, false, nowNs + MS);
    assertThat(limit.roomUnits()).isEqualTo(1 << 20);
  }
}
