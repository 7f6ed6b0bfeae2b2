package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class IncastShareTest {
  private static final long PIECE = SolicitationConfig.GRANT_BYTES_MIN;
  private static final long RTT_NS = 100_000;
  private static final long NOW_NS = 7;

  private final NodeBudget budget = new NodeBudget(8 << 20);
  private final IncastLimit limit = budget.incast();
  private final BudgetAccount first = account();
  private final BudgetAccount account = account();
  private final IncastShare share = share(account);

  private BudgetAccount account() {
    return new BudgetAccount(budget, () -> {});
  }

  private IncastShare share(BudgetAccount of) {
    PathView path = new SteadyPath(RTT_NS);
    IncastShare share = new IncastShare(limit, of, path);
    share.onBurstEnd(NOW_NS);
    return share;
  }

  /** Two others have all that the limit lets be on its way. */
  private void fillLimit() {
    long roundTripNs = limit.roundTripNs(RTT_NS, RTT_NS);
    account().onAhead(PIECE, roundTripNs);
    first.onAhead(IncastLimit.UNMEASURED_BYTES - PIECE, roundTripNs);
    assertThat(limit.roomUnits()).isZero();
  }

  @Test
  void shouldGrantWhatThereIsRoomForAndAtLeastOnePiece() {
    account().onAhead(PIECE, limit.roundTripNs(RTT_NS, RTT_NS));
    assertThat(share.grantable(1 << 20, false)).isEqualTo(IncastLimit.UNMEASURED_BYTES - PIECE);
    assertThat(share.grantable(PIECE, false)).isEqualTo(PIECE);
    assertThat(share.deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldLookAgainByItselfAfterAMillisecondForWhatIsReserved() {
    fillLimit();
    assertThat(share.grantable(PIECE, true)).isZero();
    assertThat(share.deadlineNs()).isEqualTo(NOW_NS + IncastLimit.PERIOD_NS);
    share.onTimeout(NOW_NS + IncastLimit.PERIOD_NS);
    assertThat(share.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(share.grantable(PIECE, true)).isZero();
    assertThat(share.deadlineNs()).isEqualTo(NOW_NS + 2 * IncastLimit.PERIOD_NS);
    share.stop();
    assertThat(share.deadlineNs()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldWaitToBeToldForWhatIsNotReserved() {
    fillLimit();
    assertThat(share.grantable(PIECE, false)).isZero();
    assertThat(account.isPushQueued()).isTrue();
    assertThat(share.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    first.atMostAhead(0, limit.roundTripNs(RTT_NS, RTT_NS));
    assertThat(share.grantable(PIECE, false)).isEqualTo(PIECE);
  }

  @Test
  void shouldGoBeforeTheOneThatWaitsForTheBudgetWithWhatIsReserved() {
    for (int i = 0; i < 2; i++) {
      assertThat(account().reserve(4 << 20, 4 << 20, false)).isEqualTo(4 << 20);
    }
    fillLimit();
    assertThat(account().reserve(PIECE, PIECE, false)).as("the budget is spent").isZero();
    assertThat(share.grantable(PIECE, true)).isZero();
    first.atMostAhead(0, limit.roundTripNs(RTT_NS, RTT_NS));
    assertThat(account.isPushQueued()).as("behind one that no room helps").isTrue();
    assertThat(share.grantable(PIECE, false)).isZero();
    assertThat(share.grantable(PIECE, true)).isEqualTo(PIECE);
  }

  @Test
  void shouldLimitNothingWhileItsGrantsAreInDoubt() {
    share.onGranted(PIECE, NOW_NS);
    assertThat(share.deadlineNs()).isEqualTo(NOW_NS + GrantDoubt.NS_MIN);
    share.onTimeout(NOW_NS + GrantDoubt.NS_MIN);
    assertThat(account.aheadUnits()).isZero();
    fillLimit();
    assertThat(share.grantable(1 << 20, false)).isEqualTo(1 << 20);
    share.onArrived(PIECE, 0, NOW_NS + GrantDoubt.NS_MIN);
    assertThat(share.grantable(1 << 20, false)).isZero();
  }
}
