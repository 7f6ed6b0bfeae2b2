package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/**
 * Self-tuning against each fixed delay, by the prices of {@link ModerationWorld}: on none of the
 * loads below is it worse than the best of them by more than a quarter. It is on others: closed
 * loops of few messages at a tenth of a millisecond, some bursts, loads that change many times a
 * second (docs/known-issues.md). {@code -Drt.moderation.figures=true} prints what was seen.
 */
class ModerationCostTest {
  private static final double WORSE_MAX = 1.25;
  private static final long[] DELAYS_MICROS = {0, 12, 25, 50, 100, 200, 400, 800};
  private static final boolean PRINTS = Boolean.getBoolean("rt.moderation.figures");
  private static final long SECOND = 1_000_000_000;

  private final List<String> tooBad = new ArrayList<>();

  private static ModerationWorld run(
      EventQueueControls controls, long delayNs, Consumer<ModerationWorld> load) {
    ModerationWorld world = new ModerationWorld(controls, delayNs, 1);
    load.accept(world);
    return world;
  }

  private void compare(
      String name, ToDoubleFunction<ModerationWorld> price, Consumer<ModerationWorld> load) {
    double best = Double.MAX_VALUE;
    double worst = 0;
    long bestMicros = 0;
    for (long micros : DELAYS_MICROS) {
      double fixed = price.applyAsDouble(run(EventQueueControls.moderated(), micros * 1_000, load));
      worst = Math.max(worst, fixed);
      if (fixed < best) {
        best = fixed;
        bestMicros = micros;
      }
    }
    ModerationWorld tuned = run(EventQueueControls.selfTuned(), 0, load);
    double ratio = price.applyAsDouble(tuned) / best;
    String line =
        String.format(
            "| %s | %d µs | %,.0f | %,.0f | %,.0f | %.2f | %.0f µs | %.3f |",
            name,
            bestMicros,
            best,
            worst,
            price.applyAsDouble(tuned),
            ratio,
            tuned.meanDelayMicros(),
            (double) tuned.wakeUps / tuned.completions);
    if (PRINTS) {
      System.out.println(line);
    }
    if (!(ratio <= WORSE_MAX)) {
      tooBad.add(line);
    }
  }

  private void open(String name, Consumer<ModerationWorld> load) {
    compare(name, ModerationWorld::costNs, load);
  }

  /** Where the consumer's delay holds the load back, what counts is how much comes. */
  private void closed(String name, Consumer<ModerationWorld> load) {
    compare(name, ModerationWorld::timeNs, load);
  }

  @Test
  void shouldBeWorseThanTheBestFixedDelayByAQuarterAtMostOnTheseLoads() {
    for (int perSecond : new int[] {10, 1_000, 5_000, 20_000, 100_000}) {
      open(perSecond + "/s", w -> w.open(ModerationWorld.poisson(perSecond), 2 * SECOND));
    }
    open("500000/s", w -> w.open(ModerationWorld.poisson(500_000), SECOND));
    open("64 each 10 ms", w -> w.open(ModerationWorld.bursts(64, 500, SECOND / 100), 4 * SECOND));
    open("16 each 1 ms", w -> w.open(ModerationWorld.bursts(16, 2_000, SECOND / 1000), SECOND));
    open(
        "2000/s and 200000/s in turn",
        w -> {
          for (int i = 0; i < 4; i++) {
            double perSecond = (i & 1) == 0 ? 2_000 : 200_000;
            w.open(ModerationWorld.poisson(perSecond), (i + 1) * SECOND / 2);
          }
        });
    for (int inFlight : new int[] {1, 16, 64, 256}) {
      closed(inFlight + " in flight, 1 ms", w -> w.closed(inFlight, 1_000_000, SECOND));
      closed(inFlight + " in flight, 50 µs", w -> w.closed(inFlight, 50_000, SECOND / 4));
    }
    assertThat(tooBad).isEmpty();
  }
}
