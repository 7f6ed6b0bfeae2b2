package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two events of one subject while the consumer polls. Forbidden: a kind is lost. Values: the kinds
 * seen, and whether anything is left.
 */
@JCStressTest
@Outcome(
    id = {"6, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "Both kinds, once or twice handed over.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "A kind was lost.")
@State
public class LinkEventAgainstPoll {
  private final Stage stage = new Stage(Stage.ALL, 1, 0);

  @Actor
  public void loop() {
    stage.events.putLinkEvent(1, 1, 0);
    stage.events.putLinkEvent(1, 2, 0);
  }

  @Actor
  public void consumer() {
    stage.consumer.pollLinks(stage);
  }

  @Arbiter
  public void end(II_Result r) {
    stage.consumer.pollLinks(stage);
    r.r1 = stage.kinds;
    r.r2 = stage.events.links().isEmpty() ? 0 : 1;
  }
}
