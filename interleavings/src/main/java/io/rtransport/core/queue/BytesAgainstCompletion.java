package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The consumer clears the bytes and drains one queue, while the loop puts another one on the event
 * queue. Forbidden: its byte is lost.
 */
@JCStressTest
@Outcome(
    id = {"2, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Both found by the bytes.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "A byte was lost.")
@State
public class BytesAgainstCompletion {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public BytesAgainstCompletion() {
    stage.complete(stage.first, 1);
  }

  @Actor
  public void loop() {
    stage.complete(stage.second, 2);
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
