package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A queue whose room is all taken: the consumer polls its entries while as many others are posted,
 * because room is given back before the entries are read. The ring has places for a run more, so
 * the new entries have other places. Forbidden: the consumer reads one of them in place of an old
 * one, or a part of each. Values: how many entries were not the next one, or had other bytes than
 * their tag, and whether all old ones were polled.
 */
@JCStressTest
@Outcome(
    id = {"0, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Each in its order.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Overwritten while it was read.")
@State
public class CapacityAgainstCompletion {
  private static final int COUNT = 16;

  private static final class Reading extends Stage {
    int wrong;

    Reading() {
      super(ALL, COUNT, 0);
    }

    @Override
    public void onCompletion(Completion completion) {
      super.onCompletion(completion);
      wrong += completion.tag() == polled && completion.bytes() == polled ? 0 : 1;
    }
  }

  private final Reading stage = new Reading();

  public CapacityAgainstCompletion() {
    for (int tag = 1; tag <= COUNT; tag++) {
      stage.complete(stage.first, tag);
    }
  }

  @Actor
  public void loop() {
    for (int tag = COUNT + 1; tag <= 2 * COUNT; ) {
      if (stage.complete(stage.first, tag) == Claim.TAKEN) {
        tag++;
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @Actor
  public void consumer(II_Result r) {
    stage.pollOnce(2 * COUNT);
    r.r1 = stage.wrong;
    r.r2 = stage.polled >= COUNT ? 1 : 0;
  }
}
