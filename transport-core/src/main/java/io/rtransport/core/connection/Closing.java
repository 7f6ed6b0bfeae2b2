package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.wire.CloseFlyweight;
import io.rtransport.core.wire.WireText;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * The end of an established connection, on either side.
 *
 * <pre>
 *   this side closes: FIN (CLOSING) ──▶ both FINs acknowledged, all RSNs ended, all our packets
 *   acknowledged ──▶ CLOSE ──▶ CLOSE_ACK ──▶ gone
 *                        └── close timeout: CLOSE with ABORT, open transactions end UNKNOWN ──┘
 *   both half-close:  FIN from each, without CLOSING ──▶ as above, from either side
 *   the peer closes:  CLOSE ──▶ everything below its final PSNs has arrived (with ABORT: at once)
 *   ──▶ CLOSE_ACK, repeated while lingering
 * </pre>
 *
 * <p>The peer must be able to have reached the final PSNs of its CLOSE, and no packet may come at
 * or above them. Otherwise it broke the protocol.
 *
 * <p>The CLOSE timer repeats CLOSE, and the connection gives up after 5 s. During that time a RESET
 * counts as CLOSE_ACK: it says that the peer has forgotten us.
 */
final class Closing {
  private static final long GIVE_UP_NS = TimeUnit.SECONDS.toNanos(5);
  private static final long LINGER_NS_MIN = TimeUnit.SECONDS.toNanos(1);

  /** What this side has done to end the connection. */
  private enum Stage {
    OPEN,
    DRAINING,
    CLOSE_SENT
  }

  private final Connection connection;
  private Backoff backoff; // null before the first CLOSE
  private Stage stage = Stage.OPEN;
  private int code;
  private String text = "";
  private boolean isAbort;
  private CloseReason peerReason;
  private int peerFinalRequestPsn;
  private int peerFinalDataPsn;
  private boolean isAckAborted;
  private byte sentCount;
  private byte closeArrival; // path by which the peer's CLOSE came

  Closing(Connection connection) {
    this.connection = connection;
  }

  boolean isOpen() {
    return stage == Stage.OPEN;
  }

  /**
   * Returns whether this side has closed and waits for open transactions. Perhaps only the peer's
   * last packets are missing.
   */
  boolean isDraining() {
    return stage == Stage.DRAINING;
  }

  /** Closes: takes no new transactions, and sends CLOSE once everything is settled. */
  void close(int closeCode, String closeText, long nowNs) {
    if (stage != Stage.OPEN) {
      return;
    }
    stage = Stage.DRAINING;
    code = closeCode;
    text = closeText;
    connection.solicitation().close();
    connection.timers().set(Timer.CLOSE_LIMIT, nowNs + connection.config().closeTimeoutNs());
  }

  /**
   * Ends at once. Every open transaction ends with the outcome that is known of it. CLOSE with
   * ABORT tells the peer.
   */
  void abort(int closeCode, String closeText, long nowNs) {
    if (stage == Stage.CLOSE_SENT) {
      return;
    }
    code = closeCode;
    text = closeText;
    isAbort = true;
    sendFirst(nowNs);
    connection.end(new CloseReason(closeCode, closeText, false), nowNs);
  }

  /** Takes the next step if its conditions hold. Called after each turn. */
  void advance(long nowNs) {
    if ((stage == Stage.DRAINING || isLeftToUs()) && connection.stack().isSettled()) {
      sendFirst(nowNs);
    }
    if (peerReason == null || connection.isEnded()) {
      return;
    }
    if (connection.stack().hasReceivedAllBelow(peerFinalRequestPsn, peerFinalDataPsn)) {
      acknowledge(false, nowNs);
    } else if (!connection.stack().canBeFinal(peerFinalRequestPsn, peerFinalDataPsn)) {
      failByFinalPsns(nowNs);
    }
  }

  /**
   * Returns whether both sides only finished and neither closes. Once everything has ended, nothing
   * can happen on such a connection, so this side closes it.
   */
  private boolean isLeftToUs() {
    return stage == Stage.OPEN
        && peerReason == null
        && connection.sublayers.isFinishing()
        && !connection.sublayers.isPeerClosing();
  }

  private void failByFinalPsns(long nowNs) {
    connection.counters().increment(CounterId.CLOSES_REFUSED);
    connection.failWith(
        new CloseReason(
            CloseCode.PROTOCOL_ERROR.code(),
            "CLOSE: a final PSN below what was received, or beyond the window",
            false),
        nowNs);
  }

  void onClose(ByteBuffer buffer, int offset, int length, int arrival, long nowNs) {
    closeArrival = (byte) arrival;
    CloseFlyweight close = new CloseFlyweight().wrap(buffer, offset);
    if (connection.isEnded()) {
      sendAck(nowNs);
      return;
    }
    if (!connection.stack().canBeFinal(close.finalRequestPsn(), close.finalDataPsn())) {
      failByFinalPsns(nowNs);
      return;
    }
    if (peerReason == null) {
      peerReason =
          new CloseReason(
              close.code(),
              WireText.read(buffer, close.textOffset(), close.textLength(length)),
              true);
      peerFinalRequestPsn = close.finalRequestPsn();
      peerFinalDataPsn = close.finalDataPsn();
    }
    if (close.isAbort()) {
      acknowledge(
          !connection.stack().hasReceivedAllBelow(close.finalRequestPsn(), close.finalDataPsn()),
          nowNs);
    }
  }

  void onCloseAck(long nowNs) {
    if (stage == Stage.CLOSE_SENT) {
      finish(nowNs);
    }
  }

  /** Handles a RESET with the right cookie. */
  void onReset(long nowNs) {
    if (stage == Stage.CLOSE_SENT || connection.isEnded()) {
      finish(nowNs);
    } else {
      connection.end(
          new CloseReason(CloseCode.RESET.code(), CloseCode.RESET.sentence(), true), nowNs);
      connection.forget(nowNs);
    }
  }

  void onTimeout(long nowNs) {
    ConnectionTimers timers = connection.timers();
    if (timers.expire(Timer.CLOSE, nowNs)) {
      send(nowNs);
    }
    if (timers.expire(Timer.CLOSE_LIMIT, nowNs)) {
      if (stage == Stage.CLOSE_SENT) {
        finish(nowNs);
      } else {
        abort(
            CloseCode.ABORTED.code(),
            "what was outstanding did not end within the close timeout",
            nowNs);
      }
    }
    if (timers.expire(Timer.LINGER, nowNs)) {
      connection.forget(nowNs);
    }
  }

  /**
   * Tells the peer once that the connection ended for another reason than CLOSE. The peer may still
   * hear us.
   */
  void sendLast(CloseReason reason, long nowNs) {
    if (stage != Stage.CLOSE_SENT && !reason.isByPeer()) {
      code = reason.code();
      text = reason.text();
      isAbort = true;
      send(nowNs);
      connection.timers().stop(Timer.CLOSE);
    }
  }

  private void sendFirst(long nowNs) {
    stage = Stage.CLOSE_SENT;
    connection.timers().set(Timer.CLOSE_LIMIT, nowNs + GIVE_UP_NS);
    send(nowNs);
  }

  private void send(long nowNs) {
    backoff = backoff == null ? new Backoff(connection.random()) : backoff;
    connection.timers().set(Timer.CLOSE, nowNs + backoff.nextDelayNs());
    int length =
        connection
            .packets()
            .close(
                connection.peerCid(),
                connection.peerCookie(),
                code,
                text,
                isAbort,
                connection.stack().finalRequestPsn(),
                connection.stack().finalDataPsn());
    connection.transmitControl(length, connection.peerPaths.inTurn(sentCount), nowNs);
    sentCount = (byte) (sentCount + 1 & Byte.MAX_VALUE);
  }

  private void acknowledge(boolean isAborted, long nowNs) {
    isAckAborted = isAborted;
    sendAck(nowNs);
    connection.timers().stop(Timer.CLOSE);
    connection.timers().stop(Timer.CLOSE_LIMIT);
    connection.timers().set(Timer.LINGER, nowNs + lingerNs());
    connection.end(peerReason, nowNs);
  }

  /**
   * Returns how long to answer repeated CLOSEs: three of our timeouts, but no longer than the peer
   * repeats them.
   */
  private long lingerNs() {
    long timeoutsNs = 3 * connection.window().retransmissionTimeoutNs();
    return Math.min(Math.max(timeoutsNs, LINGER_NS_MIN), GIVE_UP_NS);
  }

  private void sendAck(long nowNs) {
    PeerPaths paths = connection.peerPaths;
    connection.transmitControl(
        connection.packets().closeAck(connection.peerCid(), connection.peerCookie(), isAckAborted),
        paths.openOr(closeArrival, paths.best()),
        nowNs);
  }

  private void finish(long nowNs) {
    connection.end(new CloseReason(code, text, false), nowNs);
    connection.forget(nowNs);
  }

  @Override
  public String toString() {
    return " close " + stage + (peerReason == null ? "" : ", the peer's: " + peerReason);
  }
}
