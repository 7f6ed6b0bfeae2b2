package io.rtransport.core.connection;

import io.rtransport.core.connection.ConnectionTimers.Timer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.Backoff;

/**
 * Decides whether the peer is still there when nothing is unacknowledged, so the windows cannot
 * tell. Its means are PING, PONG, keepalive and the idle timeout. Received packets set no timer: an
 * expiring timer compares with the time of the last packet, so traffic costs nothing.
 *
 * <p>A PING is sent for five reasons:
 *
 * <ul>
 *   <li>the network reported that the peer is gone;
 *   <li>the confirmation of a handshake may have been lost;
 *   <li>nothing came for a quarter of the total timeout while a transaction was open or after this
 *       side had closed;
 *   <li>the sender waits for credit with nothing unacknowledged;
 *   <li>keepalive.
 * </ul>
 *
 * <p>The PING timer repeats it. If nothing comes for the total timeout, the connection ends. It
 * also ends when the network refuses three PINGs in a row.
 */
final class Liveness {
  /**
   * Number of PINGs after which the connection ends, if the network refuses each and nothing comes
   * in between.
   */
  static final int UNREACHABLE_PINGS_MAX = 3;

  private static final long UNREACHABLE_INTERVAL_NS = 100_000_000;

  /** Age of an unanswered PING that makes the peer doubtful, if the network refused one. */
  static final long REFUSED_DOUBT_NS = 50_000_000;

  /** The same if nobody refused one: longer than the pauses of busy hosts. */
  static final long SILENT_DOUBT_NS = 250_000_000;

  private final Connection connection;
  private final long idleNs;
  private final long totalNs;
  private boolean isKeepalive;
  private long lastReceivedNs;
  private Backoff backoff; // not null while the peer is being asked
  private boolean isUnanswered; // whether nothing has come since a PING
  private long firstPingNs; // if isUnanswered: time of the first such PING
  private int pingId;
  private byte pingCount; // sent since this side began to ask, modulo 128
  private byte unreachableMask; // paths that were reported since anything was heard
  private boolean isAnswerDue;
  private boolean isPingRefused;
  private byte refusedPings;
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

  /**
   * Switches keepalive on or off: whether the peer of a silent connection is asked if it is there.
   */
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
   * Expects an answer to the handshake's confirmation. If nothing comes back, the confirmation may
   * be lost, and the peer is asked by PING.
   */
  void expectAnswer() {
    isAnswerDue = true;
  }

  /** Notes that a valid packet of the peer came in. */
  void onReceived(long nowNs) {
    lastReceivedNs = nowNs;
    refusedPings = 0;
    unreachableMask = 0;
    isUnanswered = false;
    if (isAsking() && !connection.sublayers.wantsCreditPing()) {
      stopPinging();
    }
  }

  /**
   * Handles the network's report that nobody listens at the peer's address of a path. Anybody can
   * forge such a report, and the peer may only be late. So this sends a PING at once. As long as
   * the report is true, an honest network refuses that too. If another path may reach the peer,
   * only the path of the report is asked.
   */
  void onUnreachable(int pathIndex, long nowNs) {
    connection.counters().increment(CounterId.UNREACHABLE_HINTS);
    unreachableMask |= (byte) (1 << pathIndex);
    if ((connection.peerPaths.openMask() & ~unreachableMask) != 0) {
      return;
    }
    if (isAsking()) {
      isPingRefused = true;
    } else if (firstRefusedNs == -1 || nowNs - firstRefusedNs >= UNREACHABLE_INTERVAL_NS) {
      firstRefusedNs = nowNs;
      startPinging(nowNs);
    }
  }

  /**
   * Starts and stops the timers that depend on open transactions and on credit. Called after each
   * turn.
   */
  void advance(long nowNs) {
    if (isAnswerDue) {
      // Done here, after the packet that established the connection: packets from now on are the
      // answer.
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
   * Returns whether something has to come from the peer. A side that has closed and waits for the
   * peer's last packets sends nothing by itself. If it had moved meanwhile, the peer could not
   * reach it.
   */
  boolean isWaiting() {
    return connection.sublayers.hasUnended() || connection.closing().isDraining();
  }

  /**
   * Returns whether the peer may be gone: a PING is unanswered for {@link #REFUSED_DOUBT_NS} or
   * {@link #SILENT_DOUBT_NS}, and for two round trips. The connection goes on. Its owner may use
   * another one meanwhile.
   */
  boolean isInDoubt(long rttNs, long nowNs) {
    boolean isRefused = isPingRefused || refusedPings > 0;
    long patienceNs = isRefused ? REFUSED_DOUBT_NS : SILENT_DOUBT_NS;
    return isUnanswered && nowNs - firstPingNs >= Math.max(patienceNs, 2 * rttNs);
  }

  void onPong(int id) {
    if (id == pingId && isAsking()) {
      connection.counters().increment(CounterId.PONGS_RECEIVED);
      // If a PING for credit brought none, the timer repeats it later, not at once.
      if (!connection.sublayers.wantsCreditPing()) {
        stopPinging();
      }
    }
  }

  private boolean isAsking() {
    return backoff != null;
  }

  private void startPinging(long nowNs) {
    pingCount = 0;
    backoff = new Backoff(connection.random());
    ping(nowNs);
  }

  private void onPingTimeout(long nowNs) {
    refusedPings = (byte) (isPingRefused ? refusedPings + 1 : 0);
    if (refusedPings == UNREACHABLE_PINGS_MAX) {
      connection.failWith(CloseReason.of(CloseCode.UNREACHABLE), nowNs);
      return;
    }
    if (silenceLeftNs(nowNs) <= 0) {
      connection.failWith(CloseReason.of(CloseCode.RETRY_EXCEEDED), nowNs);
    } else {
      if (refusedPings == 0 && isInDoubt(connection.sublayers.roundTripNs(), nowNs)) {
        connection.peerPaths.onPortDoubted(nowNs); // two PINGs are unanswered, or more
      }
      ping(nowNs);
    }
  }

  /**
   * Returns how much more silence is allowed, ns. Only silence since a PING ends the connection.
   * Any received packet proves that the peer lives, even without credit to give.
   */
  private long silenceLeftNs(long nowNs) {
    return isUnanswered ? totalNs - (nowNs - firstPingNs) : Long.MAX_VALUE;
  }

  /**
   * Sets the PING timer: for the next repetition, or for the end of the total timeout if that is
   * sooner.
   */
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
    connection.ping(pingId, connection.peerPaths.inTurn(pingCount), nowNs);
    pingCount = (byte) (pingCount + 1 & Byte.MAX_VALUE);
  }

  private void stopPinging() {
    isUnanswered = false;
    backoff = null;
    connection.timers().stop(Timer.PING);
  }
}
