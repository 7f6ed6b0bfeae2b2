package io.rtransport.core.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The loop asks for inbound room in a full queue while the consumer polls its entry. Forbidden: the
 * loop is refused and nobody tells it of the room that there is. Values: refused, told.
 */
@JCStressTest
@Outcome(
    id = {"0, 0"},
    expect = Expect.ACCEPTABLE,
    desc = "There was room.")
@Outcome(
    id = {"1, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Refused, and told.")
@Outcome(
    id = {".*"},
    expect = Expect.FORBIDDEN,
    desc = "Refused for good.")
@State
public class RoomAgainstRefusal {
  private final Stage stage = new Stage(Stage.ALL, 1, 1);

  public RoomAgainstRefusal() {
    stage.first.tryClaimInbound();
    stage.first.storeInbound(1, 0, 0, 0, 0, 0, 1);
    stage.events.announce(stage.first, 1, 0);
  }

  @Actor
  public void loop(II_Result r) {
    r.r1 = stage.first.tryClaimInbound() == Claim.BACK_PRESSURED ? 1 : 0;
  }

  @Actor
  public void consumer() {
    stage.pollOnce(8);
  }

  @Arbiter
  public void end(II_Result r) {
    r.r2 = stage.roomTold;
  }
}
