package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * As {@link ResetAgainstCompletion}, where the queue is pending and has no entry: the consumer
 * looks once, and no atomic write of its own stands between the reset and the look. Needs the fence
 * of {@link EventReader}.
 */
@JCStressTest
@Outcome(
    id = {"3, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "All polled, nothing pending.")
@Outcome(
    id = {"2, .*"},
    expect = Expect.FORBIDDEN,
    desc = "An entry stays behind.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Wrong count.")
@State
public class ResetOfEmptyQueue {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public ResetOfEmptyQueue() {
    stage.complete(stage.first, 1);
    // This entry is seen and polled before it is announced, so the queue is pending and empty.
    stage.first.tryPost(1);
    stage.first.store(2, 0, 0, 0, 0, 0, 2);
    stage.first.show();
    if (stage.pollOnce(8) != 2) {
      throw new AssertionError("the queue is not empty");
    }
    stage.events.announce(stage.first, 1, 0);
  }

  @Actor
  public void loop() {
    stage.complete(stage.first, 3);
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
