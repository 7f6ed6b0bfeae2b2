package io.rtransport.netty;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.transaction.OutboxEntry;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * End of a connection, which its channel asks for and is told of. The connection is told of a FIN
 * or a close behind all flushed writes, of an abort at once. The channel is told of the end once.
 * Confined to the event loop.
 */
final class LinkClosing {
  private final Link link;
  private final DrivenChannel channel;
  private final WriteQueue writes;
  private boolean isFinishing;
  private boolean isClosing;
  private boolean isAbort;
  private boolean isEndTold;
  private int code;
  private String text = "";
  private CloseReason reason; // null until the connection has ended

  LinkClosing(Link link, DrivenChannel channel, WriteQueue writes) {
    this.link = link;
    this.channel = channel;
    this.writes = writes;
  }

  /** Asks for a FIN behind the flushed writes. */
  void finish() {
    isFinishing = true;
    link.due();
  }

  /** Asks for a close behind the flushed writes, or for an abort if {@code isReset}. */
  void close(int newCode, String newText, boolean isReset) {
    isClosing = true;
    isAbort = isReset;
    code = isReset && newCode == CloseCode.NORMAL.code() ? CloseCode.ABORTED.code() : newCode;
    text = newText;
    link.due();
    if (writes.hasFlushed()) {
      long timeoutNs = connection().config().closeTimeoutNs();
      channel.eventLoop().schedule(this::onCloseTimeout, timeoutNs, TimeUnit.NANOSECONDS);
    }
  }

  /** Aborts: the flushed writes could not even be submitted in time. */
  private void onCloseTimeout() {
    if (isClosing && !connection().isEnded()) {
      isAbort = true;
      code = CloseCode.ABORTED.code();
      link.due();
    }
  }

  void abort(CloseCode why, String newText) {
    isClosing = true;
    isAbort = true;
    code = why.code();
    text = newText;
    link.due();
  }

  /**
   * Ends the connection: the last of its sockets is being closed. If the event loop ends and
   * nothing was left to be done, that counts as a normal close.
   */
  void onLastPortClosed() {
    boolean isGentle = channel.eventLoop().isShuttingDown() && writes.liveCount() == 0;
    abort(isGentle ? CloseCode.NORMAL : CloseCode.ABORTED, "the socket was closed");
  }

  /**
   * Ends the connection if a payload could not be read or a bare buffer was refused. Tells the
   * application of other failures of writes.
   */
  void judge() {
    IOException payloadFailure = writes.takePayloadFailure();
    if (payloadFailure != null) {
      abort(CloseCode.ABORTED, "a payload could not be read");
      link.tell(payloadFailure);
    }
    WriteCompletions ends = writes.completions();
    for (RtException f = ends.takeLateFailure(); f != null; f = ends.takeLateFailure()) {
      link.tell(f);
    }
    RtException plainFailure = ends.takePlainFailure();
    if (plainFailure != null && !connection().isEnded()) {
      channel.onPlainFailure(plainFailure, ends.isPlainFailureTold());
    }
  }

  /** Returns whether a FIN or a close waits until the last flushed write is gone. */
  boolean isWaiting() {
    return isFinishing || isClosing;
  }

  /**
   * Tells the connection of the FIN if no flushed write is before it. Called after each turn's
   * submissions.
   */
  void advanceFinish() {
    if (isFinishing && !writes.hasFlushed()) {
      isFinishing = false;
      connection().verbs().finish();
      link.drive();
    }
  }

  /** Tells the connection of the close if no flushed write is before it, or of the abort. */
  void advance() {
    if (!isClosing || connection().isEnded()) {
      return;
    }
    if (isAbort) {
      isClosing = false;
      connection().abort(code, text, link.nowNs());
      link.drive();
    } else if (!writes.hasFlushed() || !connection().isEstablished()) {
      isClosing = false;
      connection().close(code, text, link.nowNs());
      link.drive();
    }
  }

  private Connection connection() {
    return link.connection();
  }

  // ---- what the channel is told

  /** Takes the entry of the connection's end. */
  void onClosed(OutboxEntry closed) {
    reason = new CloseReason(closed.code(), closed.text(), closed.isByPeer());
  }

  /** Returns why the connection has ended; null if it has not. */
  CloseReason reason() {
    return reason;
  }

  /** Tells the channel of the end, once. The connection has ended. */
  void tellEnd() {
    tellEndOr(reason);
  }

  /**
   * Tells the channel of the connection's end, once. Uses {@code otherwise} if the core has given
   * no reason.
   */
  void tellEndOr(CloseReason otherwise) {
    if (!isEndTold) {
      isEndTold = true;
      channel.onConnectionClosed(reason == null ? otherwise : reason);
    }
  }
}
