package io.rtransport.simulator;

import io.rtransport.core.wire.PacketBurst;

/**
 * One of the two machines of a world: a transport, its connection and the application above. What
 * the harness drives.
 */
public interface SimHost {
  /** Starts to listen (host 1) or to connect (host 0). */
  void start(long nowNs);

  /** Datagrams were read, all at once; the bytes are borrowed until the call returns. */
  void receive(PacketBurst burst, long nowNs);

  /** When {@link #onTime} is due, virtual ns; {@link Long#MAX_VALUE} = never. */
  long nextDeadlineNs();

  void onTime(long nowNs);

  /** The verbs of the connection, once it is established. */
  SimPort port();

  /**
   * Checks what only the implementation can see: bounds while it runs, and that nothing is left
   * once it has ended.
   */
  void check(boolean isAfterClose);

  /**
   * Every transaction has ended and every byte was taken, and the connection is still open: credit
   * and budget must be back where they started.
   *
   * @param chargedBytes unsolicited bytes that the peer was charged so far, as seen on the wire
   */
  void checkAtRest(long chargedBytes);

  /** Adds the product's own counters to the totals. */
  void count(SimTotals totals);
}
