package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.Backoff;
import io.rtransport.core.wire.CloseCode;

/**
 * Decides whether the peer is still there when the windows cannot tell, because nothing is
 * unacknowledged: PING, PONG, keepalive and the idle timeout. Its timers are set once and look at
 * the last packet's time when they expire, so that traffic costs it nothing.
 *
 * <p>A PING goes out for five reasons: the network said that the peer is gone; the confirmation of
 * a handshake may have been lost; a transaction is open, or this side has closed, and nothing came
 * for a quarter of the total timeout; the sender waits for credit with nothing unacknowledged;
 * keepalive. It is repeated by the PING timer; unanswered for the total, it ends the connection. So
 * do three PINGs in a row that the network refuses.
 */
final class Liveness {
  /**
   * PINGs of which the network says that nothing takes them, with nothing heard since the first:
   * then there is nobody.
   */
  static final int UNREACHABLE_PINGS_MAX = 3;

  private static final long UNREACHABLE_INTERVAL_NS = 100_000_000;

  private final Connection connection;
  private final long idleNs;
  private final long totalNs;
  private boolean isKeepalive;
  private long lastReceivedNs;
  private Backoff backoff; // while it asks
  private boolean isUnanswered; // whether nothing came since a PING
  private long firstPingNs; // then: of those since
  private int pingId;
  private boolean isAnswerDue;
  private boolean isPingRefused;
  private int refusedPings;
  private long firstRefusedNs = -1;

  Liveness(Connection connection, AgreedParameters agreed, boolean isKeepalive, long nowNs) {
    this.connection = connection;
    this.idleNs = agreed.both().idleTimeoutNs();
    this.totalNs = agreed.both().livenessTotalNs();
    this.isKeepalive = isKeepalive;
    this.lastReceivedNs = nowNs;
    connection.timers().set(Timer.IDLE, nowNs + idleNs);
    if (isKeepalive) {
      connection.timers().set(Timer.KEEPALIVE, nowNs + idleNs / 3);
    }
  }

  /** From now on the peer of a silent connection is asked whether it is there, or no more. */
  void keepalive(boolean isWanted, long nowNs) {
    if (isWanted == isKeepalive) {
      return;
    }
    isKeepalive = isWanted;
    if (isWanted) {
      connection.timers().set(Timer.KEEPALIVE, nowNs + idleNs / 3);
    } else {
      connection.timers().stop(Timer.KEEPALIVE);
    }
  }

  /**
   * The peer has to hear from us for the handshake to be confirmed there: unless something comes
   * back, it is asked by PING.
   */
  void expectAnswer() {
    isAnswerDue = true;
  }

  /** A valid packet of the peer came in. */
  void onReceived(long nowNs) {
    lastReceivedNs = nowNs;
    refusedPings = 0;
    isUnanswered = false;
    if (isAsking() && !connection.sublayers.wantsCreditPing()) {
      stopPinging();
    }
  }

  /**
   * The network says that nothing listens at the peer's address. Anybody can say so, and a peer may
   * just be late: the peer is asked by PING at once, which an honest network answers in the same
   * way as long as it is true.
   */
  void onUnreachable(long nowNs) {
    connection.counters().increment(CounterId.UNREACHABLE_HINTS);
    if (isAsking()) {
      isPingRefused = true;
    } else if (firstRefusedNs == -1 || nowNs - firstRefusedNs >= UNREACHABLE_INTERVAL_NS) {
      firstRefusedNs = nowNs;
      startPinging(nowNs);
    }
  }

  /** After each turn: starts and stops what depends on open transactions and on credit. */
  void advance(long nowNs) {
    if (isAnswerDue) {
      // Here, after the packet that established us: what comes later is the answer.
      isAnswerDue = false;
      backoff = new Backoff(connection.random());
      awaitPong(nowNs);
    }
    if (connection.sublayers.wantsCreditPing()) {
      if (!isAsking()) {
        startPinging(nowNs);
      }
    } else if (isWaiting() && !connection.timers().isSet(Timer.LIVENESS)) {
      connection.timers().set(Timer.LIVENESS, Math.max(lastReceivedNs, nowNs) + totalNs / 4);
    }
  }

  void onTimeout(long nowNs) {
    ConnectionTimers timers = connection.timers();
    if (timers.expire(Timer.IDLE, nowNs)) {
      if (nowNs - lastReceivedNs >= idleNs) {
        connection.failWith(CloseReason.of(CloseCode.IDLE_TIMEOUT), nowNs);
        return;
      }
      timers.set(Timer.IDLE, lastReceivedNs + idleNs);
    }
    if (isKeepalive && timers.expire(Timer.KEEPALIVE, nowNs)) {
      boolean isSilent = nowNs - lastReceivedNs >= idleNs / 3;
      if (isSilent && !isAsking()) {
        startPinging(nowNs);
      }
      timers.set(Timer.KEEPALIVE, (isSilent ? nowNs : lastReceivedNs) + idleNs / 3);
    }
    if (timers.expire(Timer.LIVENESS, nowNs) && isWaiting()) {
      if (nowNs - lastReceivedNs >= totalNs / 4) {
        if (!isAsking()) {
          startPinging(nowNs);
        }
        timers.set(Timer.LIVENESS, nowNs + totalNs / 4);
      } else {
        timers.set(Timer.LIVENESS, lastReceivedNs + totalNs / 4);
      }
    }
    if (timers.expire(Timer.PING, nowNs)) {
      onPingTimeout(nowNs);
    }
  }

  /**
   * Whether something has to come of the peer. One that has closed and only waits for the peer's
   * last words sends nothing by itself: had it moved meanwhile, nobody would find it.
   */
  private boolean isWaiting() {
    return connection.sublayers.hasUnended() || connection.closing().isDraining();
  }

  void onPong(int id) {
    if (id == pingId && isAsking()) {
      connection.counters().increment(CounterId.PONGS_RECEIVED);
      // A question for credit that brought none is asked again by the timer, not at once.
      if (!connection.sublayers.wantsCreditPing()) {
        stopPinging();
      }
    }
  }

  private boolean isAsking() {
    return backoff != null;
  }

  private void startPinging(long nowNs) {
    backoff = new Backoff(connection.random());
    ping(nowNs);
  }

  private void onPingTimeout(long nowNs) {
    refusedPings = isPingRefused ? refusedPings + 1 : 0;
    if (refusedPings == UNREACHABLE_PINGS_MAX) {
      connection.failWith(CloseReason.of(CloseCode.UNREACHABLE), nowNs);
      return;
    }
    if (silenceLeftNs(nowNs) <= 0) {
      connection.failWith(CloseReason.of(CloseCode.RETRY_EXCEEDED), nowNs);
    } else {
      ping(nowNs);
    }
  }

  /**
   * How much more silence there may be. Only silence since a PING kills, and anything received
   * proves that the peer lives, even when it has no credit to give.
   */
  private long silenceLeftNs(long nowNs) {
    return isUnanswered ? totalNs - (nowNs - firstPingNs) : Long.MAX_VALUE;
  }

  /** Until the PING is repeated; or until the total, which is not to wait for a repetition. */
  private void awaitPong(long nowNs) {
    long waitNs = Math.min(backoff.nextDelayNs(), silenceLeftNs(nowNs));
    connection.timers().set(Timer.PING, nowNs + waitNs);
  }

  private void ping(long nowNs) {
    pingId++;
    firstPingNs = isUnanswered ? firstPingNs : nowNs;
    isUnanswered = true;
    isPingRefused = false;
    awaitPong(nowNs);
    connection.counters().increment(CounterId.PINGS_SENT);
    connection.transmitControl(
        connection.packets().ping(connection.peerCid(), connection.peerCookie(), pingId, 0), nowNs);
  }

  private void stopPinging() {
    isUnanswered = false;
    backoff = null;
    connection.timers().stop(Timer.PING);
  }
}
