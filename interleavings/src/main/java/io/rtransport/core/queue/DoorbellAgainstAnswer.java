package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread submits and rings, while the loop answers an earlier ring and looks. Forbidden: the loop
 * misses the record, and the thread relies on the earlier ring. Needs both fences of {@link
 * Doorbell}.
 */
@JCStressTest
@Outcome(
    id = {"0, 1", "1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "The loop sees it.")
@Outcome(
    id = {"1, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "The loop comes once more.")
@Outcome(
    id = {"0, 0"},
    expect = Expect.FORBIDDEN,
    desc = "The loop has not seen it and does not come again.")
@State
public class DoorbellAgainstAnswer {
  private final Doorbell bell = new Doorbell();
  private final SubmissionRing ring = new SubmissionRing(4, 64);

  public DoorbellAgainstAnswer() {
    bell.ring();
  }

  @Actor
  public void submitter(II_Result r) {
    ring.publish(ring.tryClaim(0), 0, 1, 0, 0, null);
    r.r1 = bell.ring() ? 1 : 0;
  }

  @Actor
  public void loop(II_Result r) {
    bell.answer();
    r.r2 = ring.hasNext() ? 1 : 0;
  }
}
