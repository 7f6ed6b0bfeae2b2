package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The consumer resets the pending bit and drains, while the loop stores another entry of the same
 * queue. Forbidden: the entry stays behind without a bit. Needs the fences of {@link
 * EventQueue#announce} and of {@link EventReader}. The last value: CEC after all.
 */
@JCStressTest
@Outcome(
    id = {"2, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Both polled, nothing pending.")
@Outcome(
    id = {"1, .*"},
    expect = Expect.FORBIDDEN,
    desc = "An entry stays behind.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Wrong count.")
@State
public class ResetAgainstCompletion {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public ResetAgainstCompletion() {
    stage.complete(stage.first, 1);
  }

  @Actor
  public void loop() {
    stage.complete(stage.first, 2);
  }

  @Actor
  public void consumer() {
    stage.pollOnce(8);
  }

  @Arbiter
  public void end(II_Result r) {
    r.r1 = stage.pollAll();
    r.r2 = (int) stage.pendingCount();
  }
}
