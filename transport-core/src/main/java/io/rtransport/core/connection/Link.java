package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketBurst;

/**
 * How the sublayers of one connection reach each other. Two implementations: {@link DirectLink}
 * calls them; the pipeline of an {@code RtChannel} carries the same bursts past its handlers. The
 * order of the calls stands in {@link Connection}, once.
 */
public interface Link {
  /**
   * Carries an inbound burst up: wire, window, solicitation, transaction. Borrowed until the call
   * returns.
   */
  void receive(PacketBurst burst, long nowNs);

  /**
   * Carries an outbound burst from the window down to the wire. Borrowed until the call returns.
   */
  void transmit(PacketBurst burst, long nowNs);

  /**
   * Whether the port below path {@code pathIndex} takes more packets now; when it does again,
   * {@link Connection#flush}.
   */
  boolean hasRoom(int pathIndex);

  /**
   * Whether packets that have come in for the connection may lie unread below: asked before its
   * timers act, for one of them may be what they wait for. Asked again until it is not so, for 100
   * ms at the most.
   */
  default boolean mayHaveUnread() {
    return false;
  }

  /**
   * Tells of an exception that cut off the work of one connection, inside a call that serves
   * several. The link ends that connection; the call goes on with the next one.
   */
  default void onDefect(Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) cause;
  }

  /**
   * The longest datagram that the port below can send in one piece, never as fragments, bytes; 0:
   * nothing is known of any.
   */
  default int datagramLengthMax() {
    return Limits.PACKET_LENGTH_MAX;
  }
}
