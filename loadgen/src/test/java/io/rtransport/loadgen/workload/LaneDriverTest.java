package io.rtransport.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.workload.Plan.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.junit.jupiter.api.Test;

/** Pacing on a virtual clock. */
class LaneDriverTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long MILLI_NS = 1_000_000L;

  private record Task(long timeNs, long order, Runnable run) {}

  /** Time that moves only from task to task. */
  private static final class VirtualLoop implements Wakeups {
    final PriorityQueue<Task> tasks =
        new PriorityQueue<>(
            (a, b) ->
                a.timeNs != b.timeNs
                    ? Long.compare(a.timeNs, b.timeNs)
                    : Long.compare(a.order, b.order));
    long nowNs = 1;
    long orders;

    @Override
    public void at(long timeNs, Runnable task) {
      tasks.add(new Task(Math.max(timeNs, nowNs), orders++, task));
    }

    @Override
    public void soon(Runnable task) {
      at(nowNs, task);
    }

    void runUntil(long untilNs) {
      while (!tasks.isEmpty() && tasks.peek().timeNs <= untilNs) {
        Task task = tasks.remove();
        nowNs = Math.max(nowNs, task.timeNs);
        task.run.run();
      }
      nowNs = Math.max(nowNs, untilNs);
    }
  }

  /** Answers each message after a fixed time, unless it is out of order. */
  private static final class FakeSession implements Session {
    final List<Long> sentNs = new ArrayList<>();
    final List<Boolean> measured = new ArrayList<>();
    final VirtualLoop loop;
    final Lane lane;
    final long serviceNs;
    int room = Integer.MAX_VALUE;
    boolean answers = true;

    FakeSession(VirtualLoop loop, Lane lane, long serviceNs) {
      this.loop = loop;
      this.lane = lane;
      this.serviceNs = serviceNs;
      lane.attach(this);
    }

    @Override
    public boolean offer(long sequence, int lengthBytes, boolean isMeasured) {
      if (room == 0) {
        return false;
      }
      room--;
      sentNs.add(loop.nowNs);
      measured.add(isMeasured);
      if (answers) {
        loop.at(
            loop.nowNs + serviceNs,
            () -> {
              room++;
              lane.onCompleted(sequence);
              lane.onBatchEnd();
            });
      }
      return true;
    }

    @Override
    public void flush() {}
  }

  private final VirtualLoop loop = new VirtualLoop();
  private final LatencyRecorder recorder = new LatencyRecorder();

  private LaneDriver driver(Pace pace, double rate, int inFlight) {
    SizeMix sizes = new SizeMix(new int[] {64}, 1);
    return new LaneDriver(new Plan(pace, rate, inFlight, sizes), () -> loop.nowNs, loop, recorder);
  }

  @Test
  void shouldSendAtTheScheduledTimesInOpenLoop() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.start(MILLI_NS, MILLI_NS, MILLI_NS + SECOND_NS);
    loop.runUntil(2 * SECOND_NS);
    driver.abandon(loop.nowNs);

    assertThat(session.sentNs).hasSize(1_000);
    for (int i = 0; i < 1_000; i++) {
      assertThat(session.sentNs.get(i)).isEqualTo(MILLI_NS + i * MILLI_NS);
    }
    assertThat(driver.sentMeasured()).isEqualTo(1_000);
    assertThat(driver.completedMeasured()).isEqualTo(1_000);
    assertThat(recorder.messages()).isEqualTo(1_000);
    assertThat(recorder.total().getMaxValue()).isLessThan(256);
  }

  @Test
  void shouldCountAStallInEveryMessageThatItDelayed() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.start(1, 1, SECOND_NS);
    loop.runUntil(100 * MILLI_NS);
    session.room = 0;
    loop.runUntil(600 * MILLI_NS);
    session.room = Integer.MAX_VALUE;
    driver.lanes().get(0).onRoom();
    loop.runUntil(2 * SECOND_NS);
    driver.abandon(loop.nowNs);

    // 500 messages waited 0..500 ms: half of all, so the 75th percentile is about 250 ms. A closed
    // loop would have shown one.
    assertThat(recorder.total().getTotalCount()).isEqualTo(1_000);
    assertThat(recorder.total().getValueAtPercentile(75) / MILLI_NS).isBetween(240L, 260L);
    assertThat(driver.neverSent()).isZero();
  }

  @Test
  void shouldCountWhatWasDueAndNeverSentAsLostAtItsAge() {
    LaneDriver driver = driver(Pace.OPEN, 100, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    session.room = 0;
    driver.start(1, 1, SECOND_NS);
    loop.runUntil(3 * SECOND_NS);
    assertThat(driver.outstanding()).isEqualTo(100);
    driver.abandon(loop.nowNs);

    assertThat(driver.neverSent()).isEqualTo(100);
    assertThat(driver.sentMeasured()).isZero();
    assertThat(recorder.total().getTotalCount()).isEqualTo(100);
    assertThat(recorder.total().getMinValue()).isGreaterThanOrEqualTo(2 * SECOND_NS - MILLI_NS);
  }

  @Test
  void shouldKeepExactlySoManyInFlightInClosedLoop() {
    LaneDriver driver = driver(Pace.CLOSED, 0, 4);
    FakeSession session = new FakeSession(loop, driver.addLane(0), MILLI_NS);
    driver.start(1, 1, SECOND_NS);
    loop.runUntil(SECOND_NS + 2 * MILLI_NS);
    driver.abandon(loop.nowNs);

    assertThat(driver.inFlightPeak()).isEqualTo(4);
    assertThat(session.sentNs).hasSizeBetween(3_990, 4_004);
    assertThat(driver.outstanding()).isZero();
  }

  @Test
  void shouldSendAsMuchAsThereIsRoomForWhenSaturated() {
    LaneDriver driver = driver(Pace.SATURATED, 0, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), MILLI_NS);
    session.room = 5_000;
    driver.start(1, 1, 10 * MILLI_NS);
    loop.runUntil(20 * MILLI_NS);
    driver.abandon(loop.nowNs);

    assertThat(driver.inFlightPeak()).isEqualTo(5_000);
    assertThat(session.sentNs.size()).isBetween(45_000, 55_000);
  }

  @Test
  void shouldMeasureOnlyWhatFallsIntoTheMeasuredTime() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.start(0, 500 * MILLI_NS, 1_500 * MILLI_NS);
    loop.runUntil(3 * SECOND_NS);
    driver.abandon(loop.nowNs);

    assertThat(session.sentNs).hasSize(1_500);
    assertThat(session.measured.stream().filter(m -> m)).hasSize(1_000);
    assertThat(driver.sentMeasured()).isEqualTo(1_000);
    assertThat(recorder.total().getTotalCount()).isEqualTo(1_000);
    assertThat(recorder.intervals()).hasSize(1);
    assertThat(recorder.intervals().get(0).messages()).isEqualTo(1_000);
  }

  @Test
  void shouldMeasureFromWhenItIsTold() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.startWarmUp(0);
    loop.runUntil(2 * SECOND_NS + 1);
    assertThat(driver.warmUpSeconds()).hasSize(2);
    assertThat(driver.warmUpSeconds().get(1).messages()).isEqualTo(1_000);
    assertThat(driver.warmUpSeconds().get(1).latencies().getTotalCount()).isEqualTo(1_000);

    driver.measure(3 * SECOND_NS, 4 * SECOND_NS);
    loop.runUntil(5 * SECOND_NS);
    driver.abandon(loop.nowNs);
    assertThat(session.sentNs).hasSize(4_000);
    assertThat(session.measured.stream().filter(m -> m)).hasSize(1_000);
    assertThat(driver.sentMeasured()).isEqualTo(1_000);
    assertThat(recorder.messages()).isEqualTo(1_000);
    assertThat(recorder.total().getTotalCount()).isEqualTo(1_000);
    assertThat(recorder.intervals()).hasSize(1);
  }

  @Test
  void shouldMeasureFromNowWhereItIsToldLate() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.startWarmUp(0);
    loop.runUntil(2 * SECOND_NS + 1);
    driver.measure(SECOND_NS, 3 * SECOND_NS);
    loop.runUntil(4 * SECOND_NS);
    driver.abandon(loop.nowNs);
    assertThat(session.measured.stream().filter(m -> m)).hasSize(999);
    assertThat(driver.sentMeasured()).isEqualTo(999);
    assertThat(driver.completedMeasured()).isEqualTo(999);
  }

  @Test
  void shouldHaveMeasuredNothingWhenStoppedInAWarmUpOfNoFixedLength() {
    LaneDriver driver = driver(Pace.CLOSED, 0, 1);
    new FakeSession(loop, driver.addLane(0), MILLI_NS);
    driver.startWarmUp(1);
    loop.runUntil(2 * SECOND_NS);
    driver.stop(loop.nowNs);
    loop.runUntil(3 * SECOND_NS);
    assertThat(driver.outstanding()).isZero();
    driver.abandon(loop.nowNs);
    assertThat(driver.sentMeasured()).isZero();
    assertThat(recorder.messages()).isZero();
    assertThat(recorder.intervals()).isEmpty();
  }

  @Test
  void shouldEndEarlyWithWhatWasMeasured() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    new FakeSession(loop, driver.addLane(0), 10);
    driver.start(0, 0, 100 * SECOND_NS);
    loop.runUntil(2_500 * MILLI_NS - 1);
    driver.stop(loop.nowNs);
    loop.runUntil(10 * SECOND_NS);
    driver.abandon(loop.nowNs);

    assertThat(driver.sentMeasured()).isEqualTo(2_500);
    assertThat(driver.neverSent()).isZero();
    assertThat(recorder.intervals()).hasSize(3);
  }

  @Test
  void shouldSpreadMessagesOverConnections() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 1);
    FakeSession first = new FakeSession(loop, driver.addLane(0), 10);
    FakeSession second = new FakeSession(loop, driver.addLane(1), 10);
    driver.start(1, 1, SECOND_NS);
    loop.runUntil(2 * SECOND_NS);

    assertThat(first.sentNs).hasSize(500);
    assertThat(second.sentNs).hasSize(500);
  }

  @Test
  void shouldSendNothingWhenIdle() {
    LaneDriver driver = driver(Pace.IDLE, 0, 1);
    FakeSession session = new FakeSession(loop, driver.addLane(0), 10);
    driver.start(1, 1, SECOND_NS);

    assertThat(loop.tasks).isEmpty();
    assertThat(session.sentNs).isEmpty();
  }

  @Test
  void shouldWaitForMessagesThatABusyLoopHasNotComeTo() {
    LaneDriver driver = driver(Pace.OPEN, 1_000, 0);
    new FakeSession(loop, driver.addLane(0), MILLI_NS);
    driver.start(1, 1, 10 * MILLI_NS);
    loop.nowNs = 20 * MILLI_NS; // the loop was away all the time
    assertThat(driver.outstanding()).isPositive();
    loop.runUntil(30 * MILLI_NS);
    assertThat(driver.outstanding()).isZero();
    assertThat(driver.sentMeasured()).isEqualTo(10);
    driver.abandon(loop.nowNs);
    assertThat(driver.neverSent()).isZero();
  }

  @Test
  void shouldNotCountFailuresOfTheWarmUp() {
    LaneDriver driver = driver(Pace.CLOSED, 0, 3);
    FakeSession session = new FakeSession(loop, driver.addLane(0), MILLI_NS);
    session.answers = false;
    driver.start(1, 2 * MILLI_NS, SECOND_NS);
    loop.runUntil(MILLI_NS);
    Lane lane = driver.lanes().get(0);
    lane.onFailed(1);
    loop.runUntil(2 * MILLI_NS);
    lane.onBatchEnd(); // one more, the first of the measured time
    assertThat(session.measured).containsExactly(false, false, false, true);
    lane.onFailed(0);
    assertThat(lane.failed()).isZero();
    lane.onClosed("gone");
    assertThat(lane.failed()).as("of the two in flight one is measured").isEqualTo(1);
  }

  @Test
  void shouldCountMessagesOfAnEndedConnectionAsFailed() {
    LaneDriver driver = driver(Pace.CLOSED, 0, 3);
    FakeSession session = new FakeSession(loop, driver.addLane(0), MILLI_NS);
    session.answers = false;
    driver.start(1, 1, SECOND_NS);
    loop.runUntil(MILLI_NS);
    Lane lane = driver.lanes().get(0);
    lane.onClosed("gone");

    assertThat(lane.failed()).isEqualTo(3);
    assertThat(lane.closeReason()).isEqualTo("gone");
    assertThat(driver.outstanding()).isZero();
  }
}
