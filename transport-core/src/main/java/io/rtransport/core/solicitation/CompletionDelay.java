package io.rtransport.core.solicitation;

import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;

/**
 * Decides how long the success of pushes whose end nobody waits for ({@link
 * PushUnsolicitedDataFlyweight#FLAG_UNAWAITED}) stays untold. It then rides on a packet that leaves
 * for another reason: an answer, the next request. A packet of its own would carry nothing that
 * anybody waits for, and would have to be acknowledged itself.
 *
 * <p>Where something of the application's left soon after the last times, it is held for up to
 * {@link #RIDE_NS_MAX}. Elsewhere it is told
 *
 * <ul>
 *   <li>after three quarters of the ack delay, so that the acknowledgement that comes with it is
 *       within the whole of it. (A wait of less than half a millisecond makes NIO's loops spin);
 *   <li>in the place of an acknowledgement that would leave in a packet of its own.
 * </ul>
 *
 * <p>In either case it is told when the pushes are a quarter of what the peer may have unended,
 * when they cost two packets' worth of credit, when the peer has less than three quarters of its
 * initial credit left, and when the peer begins nothing more, for its close waits for the ends.
 */
final class CompletionDelay {
  /** For so long the success of pushes is held where packets to ride on are expected. */
  static final long RIDE_NS_MAX = 250_000_000;

  private static final int PACKETS_MAX = 2;

  private final long delayNs;
  private final int countMax;
  private final long costBytesMax;
  private int count;
  private long costBytes;
  private long endNs = Long.MAX_VALUE;

  /** Whether holding paid the last time, or would have. */
  private boolean isRideExpected;

  /** Told without a ride at {@link #toldNs}, and nothing else has left since. */
  private boolean wasToldAlone;

  private long toldNs;

  CompletionDelay(SolicitationConfig config) {
    delayNs = config.agreed().rx().ackDelayNsMax() - (config.agreed().rx().ackDelayNsMax() >> 2);
    countMax = config.agreed().both().outstandingMax() >> 2;
    costBytesMax = (long) PACKETS_MAX * config.datagramLengthBytes();
  }

  /** Whether anything is ever held back. */
  boolean isOn() {
    return delayNs > 0;
  }

  /** A push of that cost has succeeded, and its initiator does not wait for the news. */
  void add(long cost) {
    count++;
    costBytes += cost;
  }

  /** Whether something is untold. */
  boolean isHolding() {
    return count > 0;
  }

  /** Whether what is held has to be told now, even by a packet of its own. */
  boolean isOver(CreditAllowance credit, long nowNs) {
    return nowNs >= endNs || count >= countMax || costBytes >= costBytesMax || !credit.isAmple();
  }

  /** Whether what is held leaves in the place of an acknowledgement that is due. */
  boolean replacesAck() {
    return !isRideExpected;
  }

  /** Nothing leaves now that it could ride on. Answers whether its time begins with that. */
  boolean begin(long nowNs) {
    if (count == 0 || endNs != Long.MAX_VALUE) {
      return false;
    }
    endNs = nowNs + (isRideExpected ? RIDE_NS_MAX : delayNs);
    return true;
  }

  /** Its time is over, or it replaces an acknowledgement: it waited for a ride in vain. */
  void onToldAlone(long nowNs) {
    isRideExpected = false;
    wasToldAlone = true;
    toldNs = nowNs;
  }

  /** A packet leaves with something of the application's. */
  void onRide(long nowNs) {
    if (wasToldAlone) {
      wasToldAlone = false;
      isRideExpected = nowNs - toldNs <= RIDE_NS_MAX;
    }
  }

  /**
   * When it has to be told; {@link Long#MAX_VALUE}: nothing is held, or not for another turn yet.
   */
  long endNs() {
    return endNs;
  }

  /**
   * It is told, or is to be told as soon as there is room. Answers whether it had been held for
   * longer than one turn.
   */
  boolean end() {
    boolean wasHeld = endNs != Long.MAX_VALUE;
    count = 0;
    costBytes = 0;
    endNs = Long.MAX_VALUE;
    return wasHeld;
  }
}
