package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GrantDoubtTest {
  private static final long START_NS = Long.MAX_VALUE - 1_000_000; // passes zero
  private static final long SRTT_NS = 100_000;
  private static final int LEAST = (int) GrantDoubt.PROGRESS_BYTES_MIN;

  private final GrantDoubt doubt = new GrantDoubt();

  private boolean isDoubtedAfter(long ns) {
    return doubt.onTimeout(SRTT_NS, START_NS + ns);
  }

  @Test
  void shouldDoubtAfterFiveMillisecondsAndNotBefore() {
    doubt.onGranted(true, START_NS);
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN - 1)).isFalse();
    assertThat(doubt.isDoubted()).isFalse();
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN)).isTrue();
    assertThat(doubt.isDoubted()).isTrue();
  }

  @Test
  void shouldWaitForFourRoundTripsOfALongPath() {
    doubt.onGranted(true, START_NS);
    long srttNs = GrantDoubt.NS_MIN;
    assertThat(doubt.onTimeout(srttNs, START_NS + 4 * srttNs - 1)).isFalse();
    assertThat(doubt.onTimeout(srttNs, START_NS + 4 * srttNs)).isTrue();
  }

  @Test
  void shouldNotBeginAgainWithAFurtherGrant() {
    doubt.onGranted(true, START_NS);
    doubt.onGranted(false, START_NS + GrantDoubt.NS_MIN - 1);
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN)).isTrue();
  }

  @Test
  void shouldBeginAgainWithSixteenKibibytesAndNotWithAByteLess() {
    doubt.onGranted(true, START_NS);
    doubt.onArrived(LEAST - 1, false, START_NS + 1);
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN)).isTrue();
    doubt.onArrived(LEAST - 1, false, START_NS + GrantDoubt.NS_MIN);
    assertThat(doubt.isDoubted()).isTrue();
    doubt.onArrived(1, false, START_NS + GrantDoubt.NS_MIN);
    assertThat(doubt.isDoubted()).isFalse();
    assertThat(isDoubtedAfter(2 * GrantDoubt.NS_MIN - 1)).isFalse();
    assertThat(isDoubtedAfter(2 * GrantDoubt.NS_MIN)).isTrue();
  }

  @Test
  void shouldBeginAgainWhereAllOfASmallGrantCame() {
    doubt.onGranted(true, START_NS);
    doubt.onArrived(1, true, START_NS + 1);
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN)).isFalse();
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN + 1)).isTrue();
  }

  @Test
  void shouldNotTrustAgainForSmallMessagesBeforeTheyAreSixteenKibibytes() {
    doubt.onGranted(true, START_NS);
    assertThat(isDoubtedAfter(GrantDoubt.NS_MIN)).isTrue();
    long nowNs = START_NS + GrantDoubt.NS_MIN;
    doubt.onArrived(0, true, nowNs);
    doubt.onGranted(true, nowNs);
    doubt.onArrived(LEAST - 1, true, nowNs);
    assertThat(doubt.isDoubted()).isTrue();
    doubt.onGranted(true, nowNs);
    doubt.onArrived(1, true, nowNs);
    assertThat(doubt.isDoubted()).isFalse();
  }
}
