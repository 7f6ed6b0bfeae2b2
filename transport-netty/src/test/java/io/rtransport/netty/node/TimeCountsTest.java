package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.MessageTimes;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TimeCountsTest {
  private static final long MILLI_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final TimeCounts counts = new TimeCounts();

  /** Asserts a percentile: never less than the time, and at most a 16th more. */
  private static void assertIs(long percentileNs, long ns) {
    assertThat(percentileNs).isBetween(ns, ns + ns / 16);
  }

  @Test
  void shouldHaveNoTimesAtFirst() {
    assertThat(counts.times()).isEqualTo(new MessageTimes(0, 0, 0, 0));
  }

  @Test
  void shouldTellMeanPercentilesAndTheLongest() {
    for (int i = 1; i <= 1_000; i++) {
      counts.record(i * MILLI_NS);
    }
    MessageTimes times = counts.times();
    assertThat(times.meanNs()).isEqualTo(500 * MILLI_NS + MILLI_NS / 2);
    assertIs(times.p50Ns(), 500 * MILLI_NS);
    assertIs(times.p99Ns(), 990 * MILLI_NS);
    assertThat(times.maxNs()).isEqualTo(1_000 * MILLI_NS);
  }

  @Test
  void shouldTellALongTimeAsP99FromTwoInAHundredOn() {
    for (int i = 0; i < 98; i++) {
      counts.record(MILLI_NS);
    }
    counts.record(MILLI_NS);
    counts.record(100 * MILLI_NS);
    assertIs(counts.times().p99Ns(), MILLI_NS);
    counts.record(100 * MILLI_NS);
    assertIs(counts.times().p99Ns(), 100 * MILLI_NS);
    assertIs(counts.times().p50Ns(), MILLI_NS);
  }

  @Test
  void shouldTellNoPercentileAboveTheLongest() {
    counts.record(33 * MILLI_NS + 1);
    assertThat(counts.times())
        .isEqualTo(
            new MessageTimes(
                33 * MILLI_NS + 1, 33 * MILLI_NS + 1, 33 * MILLI_NS + 1, 33 * MILLI_NS + 1));
  }

  @Test
  void shouldRecordWhatIsOutsideOfTheRangeAsItsEnd() {
    long hourNs = TimeCounts.MOST_NS;
    for (long ns : new long[] {0, TimeCounts.LEAST_NS - 1, TimeCounts.LEAST_NS}) {
      counts.record(ns);
    }
    assertThat(counts.times().p50Ns()).isEqualTo(TimeCounts.LEAST_NS);
    for (long ns : new long[] {hourNs, hourNs + 1, 2 * hourNs, 1_000 * hourNs}) {
      counts.record(ns);
    }
    MessageTimes times = counts.times();
    assertIs(times.p50Ns(), hourNs);
    assertIs(times.p99Ns(), hourNs);
    assertThat(times.maxNs()).isEqualTo(1_000 * hourNs);
  }

  @Test
  void shouldLoseNoTimeOfTwoThreadsThatRecordTheFirst() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      for (int i = 0; i < 500; i++) {
        TimeCounts shared = new TimeCounts();
        CyclicBarrier barrier = new CyclicBarrier(2);
        List<Future<?>> ends = new ArrayList<>();
        for (long ns : new long[] {MILLI_NS, 10 * MILLI_NS}) {
          ends.add(
              threads.submit(
                  () -> {
                    barrier.await();
                    shared.record(ns);
                    return null;
                  }));
        }
        for (Future<?> end : ends) {
          end.get(20, TimeUnit.SECONDS);
        }
        assertIs(shared.times().p50Ns(), MILLI_NS);
        assertIs(shared.times().p99Ns(), 10 * MILLI_NS);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void shouldBeAtMostASixteenthTooLongOverItsWholeRange() {
    for (long ns = TimeCounts.LEAST_NS; ns <= TimeCounts.MOST_NS; ns += 1 + ns / 37) {
      TimeCounts one = new TimeCounts();
      one.record(ns);
      one.record(2 * TimeCounts.MOST_NS); // so that the longest limits nothing
      assertIs(one.times().p50Ns(), ns);
    }
  }

  /** The figure of docs/guide/nodes, "What was sent". */
  @Test
  void shouldTakeEightKilobytesForThePairOfAPeer() {
    assertThat(2 * Long.BYTES * TimeCounts.STEPS).isBetween(8_000, 8_200);
  }
}
