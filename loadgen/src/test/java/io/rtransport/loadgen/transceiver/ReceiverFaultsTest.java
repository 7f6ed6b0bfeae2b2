package io.rtransport.loadgen.transceiver;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.loadgen.impair.Impairment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiverFaultsTest {
  private static List<Long> seeds(long seed, boolean isServer) {
    ReceiverFaults faults = new ReceiverFaults(new Impairment(0.1, 0, 0, 0, 0, 0, 0), seed);
    List<Long> seeds = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      seeds.add(faults.nextSeed(isServer));
    }
    return seeds;
  }

  @Test
  void shouldGiveEachChannelOfBothSidesASeedOfItsOwnByTheRunsSeed() {
    List<Long> all = new ArrayList<>();
    all.addAll(seeds(1, false));
    all.addAll(seeds(1, true));
    all.addAll(seeds(2, false));
    assertThat(new HashSet<>(all)).hasSize(300);
    assertThat(seeds(1, true)).as("repeatable").isEqualTo(seeds(1, true));
  }
}
