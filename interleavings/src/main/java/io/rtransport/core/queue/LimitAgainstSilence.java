package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two queues of two entries each, a poll with a limit of 1, and a completion meanwhile; then
 * silence. Forbidden: a consumer that goes by the summary bytes does not find all five.
 */
@JCStressTest
@Outcome(
    id = {"5, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "All polled.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "An entry sleeps.")
@State
public class LimitAgainstSilence {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public LimitAgainstSilence() {
    stage.complete(stage.first, 1);
    stage.complete(stage.first, 2);
    stage.complete(stage.second, 3);
    stage.complete(stage.second, 4);
  }

  @Actor
  public void loop() {
    stage.complete(stage.second, 5);
  }

  @Actor
  public void consumer() {
    stage.pollOnce(1);
  }

  @Arbiter
  public void end(II_Result r) {
    r.r1 = stage.pollAll();
    r.r2 = (int) stage.pendingCount();
  }
}
