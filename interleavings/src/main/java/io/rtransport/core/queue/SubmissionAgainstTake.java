package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A thread submits while the loop takes. Forbidden: a record is seen before all of it is. */
@JCStressTest
@Outcome(
    id = {"0, 0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "It is not seen yet.")
@Outcome(
    id = {"7, 7, 7"},
    expect = Expect.ACCEPTABLE,
    desc = "All of it is seen.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "A part of it is seen.")
@State
public class SubmissionAgainstTake {
  private final SubmissionRing ring = new SubmissionRing(4, 64);

  @Actor
  public void submitter() {
    long claim = ring.tryClaim(1);
    ring.bytes()[ring.offsetOf(claim)] = 7;
    ring.publish(claim, 7, 7, 0, 1, null);
  }

  @Actor
  public void loop(III_Result r) {
    if (ring.hasNext()) {
      r.r1 = ring.kind();
      r.r2 = (int) ring.tag();
      r.r3 = ring.bytes()[ring.offset()];
    }
  }
}
