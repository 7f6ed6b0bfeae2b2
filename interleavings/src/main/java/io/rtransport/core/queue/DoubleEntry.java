package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A poll stops at its limit and marks the queue again, while the loop marks it for a further
 * completion. Forbidden: two EQEs of one queue, a counter other than the number of pending bits, or
 * an entry that is left.
 */
@JCStressTest
@Outcome(
    id = {"1, 1, 3, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "One EQE, then all polled.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Two EQEs, or something lost.")
@State
public class DoubleEntry {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public DoubleEntry() {
    stage.complete(stage.first, 1);
    stage.complete(stage.first, 2);
  }

  @Actor
  public void loop() {
    stage.complete(stage.first, 3);
  }

  @Actor
  public void consumer() {
    stage.pollOnce(1);
  }

  @Arbiter
  public void end(IIII_Result r) {
    r.r1 = stage.first.isPending() ? 1 : 0;
    r.r2 = (int) stage.pendingCount();
    r.r3 = stage.pollAll();
    r.r4 = stage.events.ring().isEmpty() ? 0 : 1;
  }
}
