package io.rtransport.core.wire;

/**
 * One flyweight of each kind. An event loop has two instances for all its connections: one to read
 * packets and one to write them ({@link PacketTools}). Flyweights of its own would cost each
 * connection a kilobyte. Each packet would also store references into objects that only its
 * connection uses.
 *
 * <p>A wrapped flyweight is valid until the next use of the same flyweight. Within one packet each
 * user has its own kind. Application code, for example a payload's source, is called in between.
 * That code must make no connection of the loop receive or transmit. An application's verbs do
 * neither. {@code flush}, {@code close} and {@code abort} of a {@code Connection} do. An {@code
 * assert} checks that no connection begins to transmit meanwhile. Confined to its event loop.
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
  public final NiFlyweight ni = new NiFlyweight();

  private boolean isInUse;

  /** Takes the flyweights for a sequence of packets. Returns false if they are already taken. */
  public boolean begin() {
    boolean isFree = !isInUse;
    isInUse = true;
    return isFree;
  }

  /** Gives the flyweights back. Returns true, for use in an {@code assert}. */
  public boolean end() {
    isInUse = false;
    return true;
  }
}
