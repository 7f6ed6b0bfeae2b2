package io.rtransport.netty.node;

import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.PendingMessage;
import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.netty.facade.RtConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One message of this node until its end, and who waits for it. Confined to the peer's loop. */
final class Call {
  /** Another one after a peer that had forgotten its origin has refused it. */
  long id;

  final MessageKind kind;
  final byte[] header;
  final byte[] payload;
  final int answerLengthMax;
  final boolean isRepeatable;
  final PendingMessage state;
  private final CompletableFuture<byte[]> future;

  /** What the last attempt said, for people. */
  String reason = "";

  int code;

  /** When it was taken to be sent, and when its last attempt began. */
  long takenNs;

  long sentNs;

  /** How often its link had said HELLO when its last attempt began. */
  int hellos;

  /** Why it is to be sent again; null: it is not, or was already. */
  SentAgain again;

  /** How often it was sent by each next hop, by name. */
  final Map<String, Integer> used = new HashMap<>();

  /** The connection of the attempt that its end is waited for; null: none. */
  private RtConnection attempt;

  private Runnable giveUp;

  Call(
      long id,
      MessageKind kind,
      byte[] header,
      byte[] payload,
      int answerLengthMax,
      boolean isRepeatable,
      PendingMessage state,
      CompletableFuture<byte[]> future) {
    this.id = id;
    this.kind = kind;
    this.header = header;
    this.payload = payload;
    this.answerLengthMax = answerLengthMax;
    this.isRepeatable = isRepeatable;
    this.state = state;
    this.future = future;
  }

  /**
   * Notes that an attempt has begun on a connection to a next hop. {@code giveUp} cancels it there.
   */
  void onSent(RtConnection connection, String nextHop, Runnable giveUp) {
    used.merge(nextHop, 1, Integer::sum);
    attempt = connection;
    this.giveUp = giveUp;
  }

  /** Returns whether its attempt went by this connection, and was not given up since. */
  boolean isBy(RtConnection connection) {
    return attempt == connection;
  }

  /** Gives up its attempt, so that it can be sent by another router. */
  void leave() {
    attempt = null;
    giveUp.run();
  }

  /** Completes its future with the end that the state has. */
  void complete(byte[] answer) {
    MessageStatus status = state.status();
    if (status == MessageStatus.COMPLETED) {
      future.complete(answer);
    } else {
      future.completeExceptionally(new NodeException(status, code, reason));
    }
  }
}
