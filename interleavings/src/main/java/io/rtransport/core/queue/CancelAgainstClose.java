package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A thread cancels a post while the loop closes its connection and fails what waits. Forbidden: the
 * post has no entry or two, or its room is not given back. Values: entries, room that is left
 * claimed, completion queues that are left pending.
 */
@JCStressTest
@Outcome(
    id = {"1, 0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "One entry, and its room is free.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Lost, doubled, or room that is not given back.")
@State
public class CancelAgainstClose {
  private final Stage stage = new Stage(Stage.ALL, 4, 0);
  private final SubmissionRing ring = new SubmissionRing(4, 64);
  private final CancelSet cancels = new CancelSet(4);

  public CancelAgainstClose() {
    stage.first.tryPost(1);
    ring.publish(ring.tryClaim(0), 0, 1, 0, 0, null);
  }

  @Actor
  public void canceller() {
    if (stage.first.posted() > 0) {
      cancels.add(0);
    }
  }

  @Actor
  public void loop() {
    takeCancels();
    stage.first.close();
    end(0);
    ring.take(0);
    ring.free();
  }

  private void takeCancels() {
    cancels.takeAll(this::end);
  }

  private void end(int post) {
    if (ring.isWaiting(post)) {
      ring.end(post);
      stage.first.store(1, 0, 0, 0, 0, 0, 1);
      stage.events.announce(stage.first, 1, 0);
    }
  }

  @Arbiter
  public void end(III_Result r) {
    takeCancels();
    r.r1 = stage.pollAll();
    r.r2 = stage.first.posted();
    r.r3 = (int) stage.pendingCount();
  }
}
