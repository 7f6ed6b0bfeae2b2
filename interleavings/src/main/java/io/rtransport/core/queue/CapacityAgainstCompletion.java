package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A queue with room for one post, which is taken: the consumer polls its entry while another
 * transaction is posted, because room is given back before an entry is read. The ring has places
 * for a run more, so the second entry has another place. Forbidden: the consumer reads a part of
 * each. Values: the tag and the bytes that the poll saw, which are equal, and whether the post was
 * taken.
 */
@JCStressTest
@Outcome(
    id = {"1, 1, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Posting was refused.")
@Outcome(
    id = {"1, 1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Posted after the entry was taken.")
@Outcome(
    id = {"2, 2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "The poll took the second, too.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Overwritten while it was read.")
@State
public class CapacityAgainstCompletion {
  private final Stage stage = new Stage(Stage.ALL, 1, 0);

  public CapacityAgainstCompletion() {
    stage.complete(stage.first, 1);
  }

  @Actor
  public void loop(III_Result r) {
    r.r3 = stage.complete(stage.first, 2) == Claim.TAKEN ? 1 : 0;
  }

  @Actor
  public void consumer(III_Result r) {
    stage.pollOnce(8);
    r.r1 = (int) stage.lastTag;
    r.r2 = (int) stage.lastBytes;
  }
}
