package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two threads submit at the same time; each record has its own tag and byte. Forbidden: one is
 * lost, or their bytes share a place.
 */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Each once, whole.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Lost, or torn.")
@State
public class TwoSubmitters {
  private final SubmissionRing ring = new SubmissionRing(4, 64);

  private void submit(int tag) {
    long claim = ring.tryClaim(1);
    ring.bytes()[ring.offsetOf(claim)] = (byte) tag;
    ring.publish(claim, tag, tag, 0, 1, null);
  }

  private int take() {
    if (!ring.hasNext()) {
      return 0;
    }
    int tag = (int) ring.tag();
    boolean isWhole = ring.kind() == tag && ring.bytes()[ring.offset()] == tag;
    ring.take(1);
    return isWhole ? tag : -1;
  }

  @Actor
  public void first() {
    submit(1);
  }

  @Actor
  public void second() {
    submit(2);
  }

  @Arbiter
  public void end(II_Result r) {
    r.r1 = take();
    r.r2 = take();
  }
}
