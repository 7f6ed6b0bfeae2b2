package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads cancel two posts that want the same place of the set, while one of them, as the loop,
 * takes. Forbidden: one is lost, or taken twice. Values: how often the loop heard of each.
 */
@JCStressTest
@Outcome(
    id = {"1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Each once.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Lost, or doubled.")
@State
public class TwoCancels {
  private static final int OTHER = 1 << 20;

  private final CancelSet cancels = new CancelSet(4);
  private int first;
  private int second;

  @Actor
  public void one() {
    cancels.add(0);
    takeAll();
  }

  @Actor
  public void other() {
    cancels.add(OTHER);
  }

  private void takeAll() {
    cancels.takeAll(
        post -> {
          first += post == 0 ? 1 : 0;
          second += post == OTHER ? 1 : 0;
        });
  }

  @Arbiter
  public void end(II_Result r) {
    takeAll();
    r.r1 = first;
    r.r2 = second;
  }
}
