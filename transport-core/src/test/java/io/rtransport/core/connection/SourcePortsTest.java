package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.time.DeadlineWheel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SourcePortsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long KEPT_NS = 100_000_000;
  private static final InetSocketAddress REMOTE = new InetSocketAddress("10.0.0.1", 7_400);
  private static final Pair FIRST = new Pair(0, REMOTE);
  private static final Pair SECOND_PAIR = new Pair(1, REMOTE);

  private final SourcePorts ports = new SourcePorts();
  private long nowNs = -5 * SECOND; // the clock may be below zero

  private void change(Pair from, long received) {
    ports.onChanged(from, received, KEPT_NS, nowNs);
  }

  @Test
  void shouldDoubleTheTimeBetweenChangesUpToHalfAMinute() {
    assertThat(ports.isDue(nowNs)).as("the first is free").isTrue();
    for (long waitS : new long[] {1, 2, 4, 8, 16, 32, 32, 32}) {
      change(FIRST, 0);
      assertThat(ports.isDue(nowNs + waitS * SECOND - 1)).as("%d s", waitS).isFalse();
      nowNs += waitS * SECOND;
      assertThat(ports.isDue(nowNs)).as("%d s", waitS).isTrue();
    }
  }

  @Test
  void shouldBeginAnewAfterAMinuteWithoutAChange() {
    change(FIRST, 0);
    nowNs += 2 * SECOND;
    change(FIRST, 0);
    nowNs += SourcePorts.CALM_NS - 1;
    change(FIRST, 0);
    assertThat(ports.isDue(nowNs + 4 * SECOND - 1)).as("not calm for long enough").isFalse();
    nowNs += SourcePorts.CALM_NS;
    change(FIRST, 0);
    assertThat(ports.isDue(nowNs + SourcePorts.INTERVAL_NS_MIN)).isTrue();
  }

  @Test
  void shouldKeepTheLastPairByWhichThePeerWasHeard() {
    change(FIRST, 10);
    assertThat(ports.former()).isEqualTo(FIRST);
    change(SECOND_PAIR, 10); // nothing has come by it
    assertThat(ports.former()).isEqualTo(FIRST);
    change(SECOND_PAIR, 11);
    assertThat(ports.former()).isEqualTo(SECOND_PAIR);
  }

  @Test
  void shouldForgetTheFormerPairAtTheSecondLookAfterSomethingCame() {
    change(FIRST, 10);
    for (int i = 0; i < 3; i++) { // nothing comes
      nowNs = ports.deadlineNs();
      assertThat(ports.looksDone(10, nowNs - 1)).isFalse();
      assertThat(ports.looksDone(10, nowNs)).isFalse();
      assertThat(ports.deadlineNs()).isEqualTo(nowNs + KEPT_NS);
    }
    nowNs = ports.deadlineNs();
    assertThat(ports.looksDone(11, nowNs)).as("it has just come").isFalse();
    assertThat(ports.former()).isEqualTo(FIRST);
    nowNs = ports.deadlineNs();
    assertThat(ports.looksDone(11, nowNs)).isTrue();
    assertThat(ports.former()).isNull();
    assertThat(ports.deadlineNs()).isEqualTo(DeadlineWheel.NONE);
    assertThat(ports.looksDone(12, nowNs + SECOND)).isFalse();
  }

  @Test
  void shouldPreferTheFormerPairOnlyIfThatAloneBringsPackets() {
    change(FIRST, 10);
    assertThat(ports.isFormerBetter(10)).as("neither").isFalse();
    ports.onFormer();
    assertThat(ports.isFormerBetter(10)).isTrue();
    assertThat(ports.isFormerBetter(11)).as("both").isFalse();
    ports.onReturned(10, nowNs);
    assertThat(ports.isFormerBetter(10)).as("it is the present one").isFalse();
    assertThat(ports.former()).isNull();
  }

  @Test
  void shouldCountTheAnswerToTheHandshakeAsHeard() {
    ports.onAsked(nowNs);
    assertThat(ports.isDue(nowNs + SourcePorts.INTERVAL_NS_MIN - 1)).isFalse();
    ports.onSetUp(FIRST, KEPT_NS, nowNs);
    change(SECOND_PAIR, 0);
    assertThat(ports.former()).isEqualTo(SECOND_PAIR);
  }
}
