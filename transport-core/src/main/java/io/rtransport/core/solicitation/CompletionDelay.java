package io.rtransport.core.solicitation;

import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;

/**
 * Decides how long a push's success is held back if nobody waits for its end ({@link
 * PushUnsolicitedDataFlyweight#FLAG_UNAWAITED}). The success then travels in a packet that leaves
 * for another reason, such as an answer or the next request. A packet of its own would carry
 * nothing that anybody waits for, and would itself need an acknowledgement.
 *
 * <p>If data of the application left soon after the last reports, the success is held for up to
 * {@link #RIDE_NS_MAX}. Otherwise it is told in one of two ways:
 *
 * <ul>
 *   <li>after three quarters of the ack delay, so that the acknowledgement that comes with it is
 *       within the whole delay (a wait of less than half a millisecond makes NIO's loops spin);
 *   <li>instead of an acknowledgement that would leave in a packet of its own.
 * </ul>
 *
 * <p>In both cases it is told earlier when one of these holds:
 *
 * <ul>
 *   <li>the pushes are a quarter of what the peer may have unended;
 *   <li>they cost two packets' worth of credit;
 *   <li>the peer has less than three quarters of its initial credit left;
 *   <li>the peer begins nothing more: its close waits for the ends.
 * </ul>
 */
final class CompletionDelay {
  /** Longest time that success is held when other packets are expected to carry it, ns. */
  static final long RIDE_NS_MAX = 250_000_000;

  private static final int PACKETS_MAX = 2;

  private final long delayNs;
  private final int countMax;
  private final long costBytesMax;
  private int count;
  private long costBytes;
  private long endNs = Long.MAX_VALUE;

  /** Whether holding paid off the last time, or would have. */
  private boolean isRideExpected;

  /**
   * Whether success was last told without another packet, at {@link #toldNs}, and nothing else has
   * left since.
   */
  private boolean wasToldAlone;

  private long toldNs;

  CompletionDelay(SolicitationConfig config) {
    delayNs = config.agreed().rx().ackDelayNsMax() - (config.agreed().rx().ackDelayNsMax() >> 2);
    countMax = config.agreed().both().outstandingMax() >> 2;
    costBytesMax = (long) PACKETS_MAX * config.datagramLengthBytes();
  }

  /** Returns whether anything is ever held back. */
  boolean isOn() {
    return delayNs > 0;
  }

  /** Adds the success of a push of that cost. Its initiator does not wait for the report. */
  void add(long cost) {
    count++;
    costBytes += cost;
  }

  /** Returns whether some success is held back. */
  boolean isHolding() {
    return count > 0;
  }

  /** Returns whether the held success must be told now, even in a packet of its own. */
  boolean isOver(CreditAllowance credit, long nowNs) {
    return nowNs >= endNs || count >= countMax || costBytes >= costBytesMax || !credit.isAmple();
  }

  /** Returns whether the held success leaves instead of an acknowledgement that is due. */
  boolean replacesAck() {
    return !isRideExpected;
  }

  /**
   * Starts the clock of the held success, because no packet leaves now that could carry it. Returns
   * whether the clock was started by this call.
   */
  boolean begin(long nowNs) {
    if (count == 0 || endNs != Long.MAX_VALUE) {
      return false;
    }
    endNs = nowNs + (isRideExpected ? RIDE_NS_MAX : delayNs);
    return true;
  }

  /**
   * Notes that the success is told without another packet: its time is over, or it replaces an
   * acknowledgement.
   */
  void onToldAlone(long nowNs) {
    isRideExpected = false;
    wasToldAlone = true;
    toldNs = nowNs;
  }

  /** Notes that a packet leaves with data of the application. */
  void onRide(long nowNs) {
    if (wasToldAlone) {
      wasToldAlone = false;
      isRideExpected = nowNs - toldNs <= RIDE_NS_MAX;
    }
  }

  /**
   * Returns when the success must be told; {@link Long#MAX_VALUE}: nothing is held, or the clock
   * has not started.
   */
  long endNs() {
    return endNs;
  }

  /**
   * Ends the holding: the success is told, or will be as soon as there is room. Returns whether it
   * was held for longer than one turn.
   */
  boolean end() {
    boolean wasHeld = endNs != Long.MAX_VALUE;
    count = 0;
    costBytes = 0;
    endNs = Long.MAX_VALUE;
    return wasHeld;
  }
}
