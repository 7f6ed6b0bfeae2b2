package io.rtransport.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyCourseTest {
  private static final long START_NS = 77;
  private static final long SLOT_NS = LatencyCourse.SLOT_NS;

  private static LatencyCourse course() {
    LatencyCourse course = new LatencyCourse();
    course.start(START_NS);
    return course;
  }

  private static List<LatencyCourse.Point> points(LatencyCourse... courses) {
    return LatencyCourse.merged(List.of(courses));
  }

  @Test
  void shouldPutAMessageIntoTheSlotInWhichItWasDue() {
    LatencyCourse course = course();
    course.onLatency(START_NS + 3 * SLOT_NS, 5_000_000, 1);
    course.onLatency(START_NS, 1_000_000, 2);
    course.onLatency(START_NS + SLOT_NS - 1, 9_000_001, 1);
    course.onLatency(START_NS - 1, 1, 1); // before the measured time
    assertThat(points(course)).hasSize(4);
    LatencyCourse.Point first = points(course).get(0);
    assertThat(first.messages()).isEqualTo(3);
    assertThat(first.p50Ns()).isBetween(930_000L, 1_070_000L);
    assertThat(first.maxNs()).as("exact").isEqualTo(9_000_001);
    assertThat(points(course).get(1)).isEqualTo(new LatencyCourse.Point(0, 0, 0));
    assertThat(points(course).get(3)).isEqualTo(new LatencyCourse.Point(1, 5_000_000, 5_000_000));
  }

  @Test
  void shouldMergeEventLoops() {
    LatencyCourse first = course();
    LatencyCourse second = course();
    first.onLatency(START_NS, 1_000_000, 1);
    second.onLatency(START_NS, 2_000_000, 3);
    second.onLatency(START_NS + SLOT_NS, 3_000_000, 1);
    assertThat(points(first, second)).hasSize(2);
    assertThat(points(first, second).get(0))
        .isEqualTo(new LatencyCourse.Point(4, 2_000_000, 2_000_000));
    assertThat(points()).isEmpty();
  }

  @Test
  void shouldForgetTheWarmUpAndKeepTheFirstHour() {
    LatencyCourse course = course();
    course.onLatency(START_NS, 1_000_000, 1);
    course.start(START_NS + 10);
    assertThat(points(course)).isEmpty();
    course.onLatency(START_NS + 10 + LatencyCourse.SLOTS_MAX * SLOT_NS, 1, 1);
    assertThat(points(course)).isEmpty();
    course.onLatency(START_NS + 9 + LatencyCourse.SLOTS_MAX * SLOT_NS, 1, 1);
    assertThat(points(course)).hasSize(LatencyCourse.SLOTS_MAX);
  }
}
