package io.rtransport.core.solicitation;

import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;

/**
 * Decides how long the success of pushes whose end nobody waits for ({@link PushUnsolicitedDataFlyweight#FLAG_UNAWAITED}) stays untold, so
 * that it can ride on a packet that leaves for another reason, and that packet's acknowledgement with it: an answer, the next request. A packet
 * of its own at once would carry nothing that anybody waits for. It is told without such a packet
 *
 * <ul>
 *   <li>after three quarters of the ack delay: the acknowledgement that comes with it is then within the whole of it, by which the peer's timers are
 *       longer. (Not sooner: a wait of less than half a millisecond is none to NIO's loops, which would go round and round until it is over);
 *   <li>when an acknowledgement would leave in a packet of its own: that asks for no more;
 *   <li>when the pushes are a quarter of what the peer may have unended, or cost two packets' worth of credit, or the peer has less than three
 *       quarters of its initial credit left: a sender is held back by what is only untold for so long at the most;
 *   <li>when the peer begins nothing more, for its close waits for the ends.
 * </ul>
 */
final class CompletionDelay {
  private static final int PACKETS_MAX = 2;

  private final long delayNs;
  private final int countMax;
  private final long costBytesMax;
  private int count;
  private long costBytes;
  private long endNs = Long.MAX_VALUE;

  CompletionDelay(SolicitationConfig config) {
    delayNs = config.ackDelayNsMax() - (config.ackDelayNsMax() >> 2);
    countMax = config.outstandingMax() >> 2;
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

  /** Nothing leaves now that it could ride on. Answers whether its time begins with that. */
  boolean begin(long nowNs) {
    if (count == 0 || endNs != Long.MAX_VALUE) {
      return false;
    }
    endNs = nowNs + delayNs;
    return true;
  }

  /** When it has to be told; {@link Long#MAX_VALUE}: nothing is held, or not for another turn yet. */
  long endNs() {
    return endNs;
  }

  /** It is told, or is to be told as soon as there is room. Answers whether it had been held for longer than one turn. */
  boolean end() {
    boolean wasHeld = endNs != Long.MAX_VALUE;
    count = 0;
    costBytes = 0;
    endNs = Long.MAX_VALUE;
    return wasHeld;
  }
}
