package io.rtransport.core.wire;

/**
 * One flyweight of each kind. An event loop has two of these for all its connections, one to read
 * packets with and one to write them with ({@link PacketTools}): a connection with flyweights of
 * its own would hold a kilobyte more, and each packet would store references into objects that only
 * this connection uses.
 *
 * <p>What a flyweight is wrapped around holds until the next use of the same one. Within one packet
 * each user has its own kind. Calls of the application come between, a payload's source for one,
 * and must make no connection of the loop receive or transmit: the verbs of an application do not,
 * {@code flush}, {@code close} and {@code abort} of a {@code Connection} do. An {@code assert}
 * checks that none begins to transmit meanwhile. Confined to its loop.
 */
public final class Flyweights {
  public final ClearHeaderFlyweight clear = new ClearHeaderFlyweight();
  public final NumberedHeaderFlyweight header = new NumberedHeaderFlyweight();
  public final AckFlyweight ack = new AckFlyweight();
  public final PongFlyweight pong = new PongFlyweight();
  public final RecordFlyweight record = new RecordFlyweight();
  public final PushUnsolicitedDataFlyweight pushUnsolicited = new PushUnsolicitedDataFlyweight();
  public final PushSolicitedRequestFlyweight pushRequest = new PushSolicitedRequestFlyweight();
  public final PushSolicitedDataFlyweight pushSolicited = new PushSolicitedDataFlyweight();
  public final PushGrantFlyweight pushGrant = new PushGrantFlyweight();
  public final PullRequestFlyweight pullRequest = new PullRequestFlyweight();
  public final PullDataFlyweight pullData = new PullDataFlyweight();
  public final PullGrantFlyweight pullGrant = new PullGrantFlyweight();
  public final CompletedFlyweight completed = new CompletedFlyweight();
  public final CompleteInErrorFlyweight completeInError = new CompleteInErrorFlyweight();
  public final FinFlyweight fin = new FinFlyweight();
  public final CancelFlyweight cancel = new CancelFlyweight();
  public final ResyncFlyweight resync = new ResyncFlyweight();

  private boolean isInUse;

  /** Takes the flyweights for one packet after another; false where somebody has them already. */
  public boolean begin() {
    boolean isFree = !isInUse;
    isInUse = true;
    return isFree;
  }

  /** Gives the flyweights back. Returns true, to stand in an {@code assert}. */
  public boolean end() {
    isInUse = false;
    return true;
  }
}
