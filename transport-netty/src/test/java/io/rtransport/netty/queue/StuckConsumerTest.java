package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A consumer that never polls, or stops for good, costs its own connection alone: its event loop
 * keeps that alive until someone closes it, the other side's posts end then, and a connection
 * beside it on the same event loops goes on as if nothing were.
 */
class StuckConsumerTest {
  private static final long SEEDS = Long.getLong("rt.sim.stuckSeeds", 24);

  @Test
  void shouldCostNobodyElse() {
    Map<StuckWorld.Habit, Integer> late = new EnumMap<>(StuckWorld.Habit.class);
    for (long seed = 1; seed <= SEEDS; seed++) {
      try (StuckWorld world = new StuckWorld(seed)) {
        try {
          world.run();
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ": " + world, e);
        }
        late.merge(world.habit(), world.lateCount(), Integer::sum);
      }
    }
    for (StuckWorld.Habit habit : StuckWorld.Habit.values()) {
      assertThat(late.getOrDefault(habit, 0)).as("entries at last, %s", habit).isPositive();
    }
  }
}
