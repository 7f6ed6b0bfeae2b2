package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer that finds nothing arms, while the loop stores and wakes by PSUM+INT. Forbidden: the
 * consumer sleeps on an entry and nobody wakes it. Needs the fence of {@link EventQueue} between
 * storing and the look at the armed word, and that of {@link EventConsumer#arm}.
 */
@JCStressTest
@Outcome(
    id = {"1, 0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Polled before the consumer would sleep.")
@Outcome(
    id = {"0, 0, 0", "0, 0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Arming was refused: the consumer polls again.")
@Outcome(
    id = {"0, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "It slept and was woken.")
@Outcome(
    id = {"0, 1, 0"},
    expect = Expect.FORBIDDEN,
    desc = "It sleeps and nobody wakes it.")
@State
public class LostWakeUp {
  private final Stage stage = new Stage(EventQueueControls.immediate(), 4, 0);

  @Actor
  public void loop() {
    stage.complete(stage.first, 1);
  }

  @Actor
  public void consumer(III_Result r) {
    long seen = stage.consumer.storedCount();
    r.r1 = stage.pollOnce(8);
    r.r2 = r.r1 == 0 && stage.consumer.arm(seen, 0) ? 1 : 0;
  }

  @Arbiter
  public void end(III_Result r) {
    r.r3 = stage.unparks;
  }
}
