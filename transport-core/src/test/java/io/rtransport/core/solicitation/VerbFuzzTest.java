package io.rtransport.core.solicitation;

import io.rtransport.core.solicitation.FuzzedVerbs.Draw;
import io.rtransport.core.solicitation.VerbPair.End;
import java.util.ArrayList;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Two ends whose applications poll, and use every verb at every moment: between two entries, inside
 * one, of transactions that are over, that never were, or that are the other side's. Each byte
 * comes once and right, each end once, DELIVERED once and not before all; and when both have ended
 * nothing is held. {@code -Dverbfuzz.first} and {@code -Dverbfuzz.seeds} choose the seeds.
 */
class VerbFuzzTest {
  private static final long FIRST = Long.getLong("verbfuzz.first", 1);
  private static final long SEEDS = Long.getLong("verbfuzz.seeds", 500);

  private Draw draw;
  private SplittableRandom random;
  private VerbPair pair;
  private FuzzedEntries left;
  private FuzzedEntries right;

  private void run(long seed) {
    draw = new Draw(seed);
    random = draw.random;
    long budget = random.nextInt(3) == 0 ? (1 << 20) + random.nextInt(1 << 20) : 64 << 20;
    pair = new VerbPair(random, draw.isOrdered, budget, 1 + random.nextInt(64));
    left = new FuzzedEntries(draw, pair, pair.left, "left");
    right = new FuzzedEntries(draw, pair, pair.right, "right");
    pair.left.solicitation.wholeLengthMax(random.nextInt(3) * 600 - 1);
    pair.right.solicitation.wholeLengthMax(random.nextInt(3) * 600 - 1);
    try {
      int steps = 50 + random.nextInt(400);
      for (int i = 0; i < steps; i++) {
        step();
      }
      if (!left.isGone && !right.isGone) {
        calm();
      }
      for (FuzzedEntries side : new FuzzedEntries[] {left, right}) {
        side.isGone = true;
        side.end.solicitation.endAll(5, "over");
        draw.endInside = 0;
        draw.chaosP = 0;
        side.end.drain();
        side.check(!side.end.poll(), "something after the drain");
        side.checkClosed();
      }
      check("tx in use", pair.resources.transactions().inUse());
      check("reorder", pair.resources.reorderTable().size());
      check("holding", pair.resources.holding().inUseBytes());
      check("counted", pair.budgets.solicitation().countedBytes());
      check("pull", pair.budgets.solicitation().pullBytes());
      check("stale", pair.budgets.solicitation().staleBytes());
    } catch (RuntimeException | Error e) {
      String logs =
          "LEFT\n" + String.join("\n", left.log) + "\nRIGHT\n" + String.join("\n", right.log);
      throw new AssertionError(
          "seed " + seed + (draw.isOrdered ? ", ordered: " : ", unordered: ") + e + "\n" + logs, e);
    }
  }

  private static void check(String what, long is) {
    if (is != 0) {
      throw new AssertionError(what + " " + is);
    }
  }

  private void step() {
    FuzzedEntries side = random.nextBoolean() ? left : right;
    End end = side.end;
    pair.nowNs += random.nextInt(200_000);
    if (side.isGone) {
      return;
    }
    end.drain();
    if (side.isGone) {
      end.drain();
      return;
    }
    switch (random.nextInt(8)) {
      case 0 -> pair.pump(end);
      case 1, 2 -> {
        pair.arrive(end, 1 + random.nextInt(32), random.nextInt(3) == 0);
        side.chaos(0.2);
        end.drain();
        fine(end);
      }
      case 3 -> end.window.acknowledge(end.solicitation, pair.nowNs);
      case 4 -> {
        side.verb();
        if (random.nextBoolean()) {
          end.drain();
        }
      }
      case 5 -> side.submit();
      case 6 -> {
        for (long handle : new ArrayList<>(end.unready)) {
          end.unready.remove(handle);
          end.solicitation.ready(handle);
        }
      }
      default -> pair.timeouts(end);
    }
  }

  private void fine(End end) {
    if (end.solicitation.failure() != null) {
      throw new AssertionError("failure " + end.solicitation.failure());
    }
  }

  private void calm() {
    draw.isCalm = true;
    draw.chaosP = 0;
    draw.endInside = 0;
    for (int quiet = 0, i = 0; quiet < 30; i++) {
      for (FuzzedEntries side : new FuzzedEntries[] {left, right}) {
        side.end.drain();
        side.pay();
        side.end.drain();
      }
      int moved = pair.exchange();
      quiet = moved == 0 ? quiet + 1 : 0;
      fine(pair.left);
      fine(pair.right);
      if (i > 20_000) {
        throw new AssertionError("never at rest");
      }
    }
    for (FuzzedEntries side : new FuzzedEntries[] {left, right}) {
      side.check(
          side.ended.size() == side.end.nextTag,
          "at rest with "
              + side.ended.size()
              + " ends of "
              + side.end.nextTag
              + " lowest "
              + side.end.transactions.findOwn(side.end.transactions.lowestUnended())
              + " at peer "
              + pair.other(side.end)
                  .transactions
                  .peers()
                  .find(side.end.transactions.lowestUnended()));
      side.check(
          side.end.transactions.peers().size() == 0,
          "peers left " + side.end.transactions.peers().size());
      check(side.name + " credit used", side.end.solicitation.creditUsedBytes());
      check(side.name + " budget held", side.end.solicitation.heldBytes());
      pair.timeouts(side.end);
      pair.pump(side.end);
      long d = side.end.solicitation.nextDeadlineNs();
      side.check(d > pair.nowNs, "a timer is due for ever");
    }
  }

  @Test
  void shouldHoldWhateverIsSaidWhenever() {
    for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
      run(seed);
    }
  }
}
