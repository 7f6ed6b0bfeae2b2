package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A queue is closed and removed while a transaction is posted and ended. Forbidden: one that was
 * taken does not come out exactly once, or one that was refused does, or CEC stays. First value: 1
 * if the post was taken.
 */
@JCStressTest
@Outcome(
    id = {"1, 1, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Taken, and its entry came.")
@Outcome(
    id = {"0, 0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Refused as closed.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Lost, doubled or left pending.")
@State
public class CloseAgainstPost {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  @Actor
  public void loop(III_Result r) {
    r.r1 = stage.complete(stage.first, 1) == Claim.TAKEN ? 1 : 0;
  }

  @Actor
  public void consumer() {
    stage.first.close();
    stage.consumer.remove(stage.first, stage);
  }

  @Arbiter
  public void end(III_Result r) {
    r.r2 = stage.pollAll();
    r.r3 = (int) stage.pendingCount();
  }
}
