package io.rtransport.core.rail;

import java.util.List;
import java.util.Map;

/**
 * State and statistics of one interface at one moment.
 *
 * @param name {@code address@network}; of a peer's interface with its port
 * @param isLocal whether it is ours
 * @param health 0 to {@link RailHealthConfig#HEALTH_MAX}
 * @param isFailed whether it has failed hard and is not selected
 * @param pathCount open paths over it
 * @param charges times that it lost health, by cause; causes without any are absent
 * @param errors reported errors; those without any are absent
 * @param pingsSent PINGs that asked for its recovery
 * @param pingsFailed those that were not answered
 * @param pingDueNs when it is asked by PING next, if a connection over it is active, on the clock
 *     of the event loops; {@link Long#MAX_VALUE} at full health or if it has failed
 * @param history the last changes of its health, at most {@link #HISTORY_MAX}, oldest first
 * @param timeouts timeouts of paths over it, by cause: each one that was noticed, also where it
 *     cost no health. Only {@link Cause#LOCAL_TIMEOUT} (counted at our interface alone), {@link
 *     Cause#REMOTE_TIMEOUT} and {@link Cause#NETWORK_TIMEOUT} (at both ends of the path); those
 *     without any are absent
 */
public record NiReport(
    String name,
    boolean isLocal,
    int health,
    boolean isFailed,
    int pathCount,
    Map<Cause, Long> charges,
    Map<NiError, Long> errors,
    long pingsSent,
    long pingsFailed,
    long pingDueNs,
    List<Change> history,
    Map<Cause, Long> timeouts) {
  /** Most changes that a report has. */
  public static final int HISTORY_MAX = 16;

  /** Returns the band of its health. */
  public Band band() {
    return Band.of(health);
  }

  /** Returns whether it is down: it has failed hard, or has no health left. */
  public boolean isDown() {
    return isFailed || band() == Band.NONE;
  }

  /**
   * A change of the health.
   *
   * @param atNs when, on the clock of the event loops
   * @param health the value since then
   */
  public record Change(long atNs, int health) {}
}
