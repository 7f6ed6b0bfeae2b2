package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * A thread cancels a post and rings, while the loop answers an earlier ring, takes the cancels and
 * then the post. Forbidden: the post has no end or two, or the loop has not heard of the cancel and
 * does not come again. Values: whether the thread has the loop come, whether the loop heard of the
 * cancel meanwhile, ends, how often the loop heard of it in all.
 */
@JCStressTest
@Outcome(
    id = {"0, 1, 1, 1", "1, 1, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "The loop hears of it in time.")
@Outcome(
    id = {"1, 0, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "The loop hears of it when it comes again.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Lost, or two ends.")
@State
public class CancelAgainstCompletion {
  private final Doorbell bell = new Doorbell();
  private final SubmissionRing ring = new SubmissionRing(4, 64);
  private final CancelSet cancels = new CancelSet(4);
  private int ends;
  private int heard;

  public CancelAgainstCompletion() {
    ring.publish(ring.tryClaim(0), 0, 1, 0, 0, null);
    bell.ring();
  }

  @Actor
  public void canceller(IIII_Result r) {
    cancels.add(0);
    r.r1 = bell.ring() ? 1 : 0;
  }

  @Actor
  public void loop(IIII_Result r) {
    bell.answer();
    takeCancels();
    r.r2 = heard;
    if (ring.hasNext()) {
      ends += ring.isEnded() ? 0 : 1;
      ring.take(0);
      ring.free();
    }
  }

  private void takeCancels() {
    cancels.takeAll(
        post -> {
          heard++;
          if (ring.isWaiting(post)) {
            ring.end(post);
            ends++;
          }
        });
  }

  @Arbiter
  public void end(IIII_Result r) {
    takeCancels();
    r.r3 = ends;
    r.r4 = heard;
  }
}
