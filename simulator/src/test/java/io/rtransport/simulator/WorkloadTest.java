package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.simulator.PlannedTransaction.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WorkloadTest {
  private static List<PlannedTransaction> all(Workload workload) {
    List<PlannedTransaction> all = new ArrayList<>(workload.of(0));
    all.addAll(workload.of(1));
    return all;
  }

  @Test
  void shouldHoldAtLeast300TransactionsOfAtMost8MebibytesWhateverTheSeed() {
    for (long seed = 0; seed < 300; seed++) {
      List<PlannedTransaction> all =
          all(new Workload(WorldPlan.of(seed, WorldPlan.Scenario.DEFAULT)));
      assertThat(all).hasSizeGreaterThanOrEqualTo(300);
      assertThat(all.stream().mapToLong(t -> t.lengthBytes).sum()).isLessThanOrEqualTo(8 << 20);
      assertThat(all).anyMatch(t -> t.host == 0).anyMatch(t -> t.host == 1);
      assertThat(all).anyMatch(t -> !t.isPush()).anyMatch(t -> t.verdict == Verdict.FAIL);
    }
  }

  @Test
  void shouldDrawEveryLengthFromNothingToOneMebibyte() {
    List<PlannedTransaction> all = new ArrayList<>();
    for (long seed = 0; seed < 50; seed++) {
      all.addAll(all(new Workload(WorldPlan.of(seed, WorldPlan.Scenario.DEFAULT))));
    }
    for (int bits = 0; bits <= 20; bits++) {
      int low = bits == 0 ? 0 : 1 << (bits - 1);
      int high = 1 << bits;
      assertThat(all).anyMatch(t -> t.lengthBytes >= low && t.lengthBytes < high);
    }
    assertThat(all).anyMatch(t -> t.lengthBytes == 0).allMatch(t -> t.lengthBytes <= 1 << 20);
  }

  @Test
  void shouldDrawTheSameTwiceAndKeepThePrefixWhenShortened() {
    WorldPlan plan = WorldPlan.of(42, WorldPlan.Scenario.DEFAULT);
    List<PlannedTransaction> first = new Workload(plan).of(0);
    List<PlannedTransaction> again = new Workload(plan).of(0);
    List<PlannedTransaction> fewer = new Workload(plan.withTransactions(100)).of(0);
    assertThat(again).hasToString(first.toString());
    assertThat(fewer).hasToString(first.subList(0, fewer.size()).toString());
  }

  @Test
  void shouldFindEveryByteByItsMessageAndOffset() {
    ByteBuffer bytes = ByteBuffer.allocate(64);
    Pattern.copy(1_000, 5, bytes, 3, 40);
    assertThat(Pattern.mismatch(1_000, 5, bytes, 3, 40)).isEqualTo(-1);
    assertThat(Pattern.mismatch(1_000, 6, bytes, 3, 40)).isBetween(0, 4);
    assertThat(Pattern.mismatch(1_001, 5, bytes, 3, 40)).isBetween(0, 4);
  }

  @Test
  void shouldKnowRangesOfBytes() {
    DisjointRanges ranges = new DisjointRanges();
    assertThat(ranges.add(10, 20)).isTrue();
    assertThat(ranges.add(0, 5)).isTrue();
    assertThat(ranges.add(4, 6)).isFalse();
    assertThat(ranges.add(19, 30)).isFalse();
    assertThat(ranges.contains(0, 20)).isFalse();
    assertThat(ranges.add(5, 10)).isTrue();
    assertThat(ranges.contains(0, 20)).isTrue();
    assertThat(ranges.add(20, 21)).isTrue();
    assertThat(ranges.total()).isEqualTo(21);
  }
}
