package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A further completion on a pending queue, while the consumer polls what was there and arms. CEC
 * may return to the value that it had. Forbidden: the consumer sleeps beside an entry that it did
 * not poll, without a wake-up or a deadline.
 */
@JCStressTest
@Outcome(
    id = {"2, 1, 0", "2, 0, 0", "2, 1, 1", "2, 0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Both polled.")
@Outcome(
    id = {"1, 0, 0", "1, 0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Arming was refused: the consumer polls again.")
@Outcome(
    id = {"1, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "It sleeps, and is woken.")
@Outcome(
    id = {"1, 1, 0"},
    expect = Expect.FORBIDDEN,
    desc = "It sleeps and nobody will wake it.")
@State
public class ArmAgainstCompletion {
  private final Stage stage = new Stage(EventQueueControls.moderated(), 4, 0);

  public ArmAgainstCompletion() {
    stage.complete(stage.first, 1);
  }

  @Actor
  public void loop() {
    stage.complete(stage.first, 2);
  }

  @Actor
  public void consumer(III_Result r) {
    long seen = stage.consumer.storedCount();
    stage.pollOnce(8);
    r.r2 = stage.consumer.arm(seen, 0) ? 1 : 0;
    r.r1 = stage.polled;
  }

  @Arbiter
  public void end(III_Result r) {
    stage.events.onTimeout(Stage.DELAY_NS);
    r.r3 = stage.unparks;
  }
}
