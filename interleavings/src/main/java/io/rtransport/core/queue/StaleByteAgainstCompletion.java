package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * As {@link BytesAgainstCompletion}, where the byte is set and only a stale EQE stands behind it:
 * the consumer clears the byte and finds nothing, while the loop puts a queue and sets the byte.
 * The atomic exchange of {@link SummaryBytes} orders both. On x86 a plain store was not seen to
 * fail: the loop's atomic writes before the byte take longer than the store.
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
public class StaleByteAgainstCompletion {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);

  public StaleByteAgainstCompletion() {
    stage.complete(stage.first, 1);
    stage.first.close();
    stage.consumer.remove(stage.first, stage);
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
