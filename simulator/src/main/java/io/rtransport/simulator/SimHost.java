package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;

/**
 * One of the two hosts of a world: a transport, its connection and the application above. The
 * harness drives it.
 */
public interface SimHost {
  /** Starts to listen (host 1) or to connect (host 0). */
  void start(long nowNs);

  /** Takes datagrams that were read at once. The bytes are borrowed until the call returns. */
  void receive(PacketBurst burst, long nowNs);

  /** Returns when {@link #onTime} is due, virtual ns; {@link Long#MAX_VALUE} = never. */
  long nextDeadlineNs();

  void onTime(long nowNs);

  /** Returns the verbs of the connection, once it is established. */
  SimPort port();

  /**
   * Checks what only the implementation can see: bounds while it runs, and that nothing is left
   * after it has ended.
   */
  void check(boolean isAfterClose);

  /**
   * Checks the accounts when every transaction has ended, every byte was taken, and the connection
   * is open. Credit and budget must be back at their initial values.
   *
   * @param chargedBytes unsolicited bytes that the peer was charged so far, as seen on the wire
   */
  void checkAtRest(long chargedBytes);

  /** Adds the product's own counters to the totals. */
  void count(SimTotals totals);
}
