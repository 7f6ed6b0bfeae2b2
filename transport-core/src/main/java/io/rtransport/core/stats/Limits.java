package io.rtransport.core.stats;

/**
 * Every bound that keeps a peer from growing our memory or our work, in one place. Each is enforced
 * at a door and tested on both sides.
 */
public final class Limits {
  /**
   * UDP payload that a connection begins with, bytes. The least is IPv4's minimum reassembly; the
   * most is one unit of the retransmission store.
   */
  public static final int DATAGRAM_LENGTH_MIN = 576;

  public static final int DATAGRAM_LENGTH_MAX = 8_192;

  /**
   * A packet, bytes: what one UDP datagram of IPv4 holds. Longer than {@link #DATAGRAM_LENGTH_MAX}
   * only where path MTU discovery has found the room.
   */
  public static final int PACKET_LENGTH_MAX = 65_507;

  /**
   * Answers that name no outstanding path MTU probe, while there is one: after so many none is
   * believed of it, bar guessing.
   */
  public static final int PROBE_GUESSES_MAX = 16;

  /** Packets in a window, a power of two. */
  public static final int WINDOW_PACKETS_MIN = 64;

  public static final int WINDOW_PACKETS_MAX = 16_384;

  /** Records in one packet: the count is one byte. */
  public static final int RECORDS_PER_PACKET_MAX = 255;

  /** Unended transactions of one direction. */
  public static final int OUTSTANDING_MAX = 16_384;

  /** How far an RSN may run ahead of the lowest unended one. */
  public static final int RSN_SPAN_MAX = 1 << 20;

  /** Ranges of ended RSNs above the lowest unended one. */
  public static final int ENDED_RANGES_MAX = 1_024;

  /** Application header of a request, bytes. */
  public static final int HEADER_LENGTH_MAX = 512;

  /** A small push that shares a packet with others and is never asked for, bytes. */
  public static final int READY_PUSH_BYTES_MAX = 256;

  /** Text of an error or of a close, UTF-8 bytes. */
  public static final int TEXT_LENGTH_MAX = 256;

  /** A message, bytes. */
  public static final long MESSAGE_LENGTH_MAX = 0xFFFF_FFFFL;

  /**
   * Unsolicited credit that one connection begins with at the most, or comes to have on a fast
   * path, bytes.
   */
  public static final long CREDIT_BYTES_MAX = 2L << 20;

  /**
   * Unsolicited credit ahead of what was charged: a limit beyond it makes no sense. The most that
   * bandwidth × delay may ask for, bytes.
   */
  public static final long CREDIT_AHEAD_BYTES_MAX = 64L << 20;

  /**
   * What one connection may have on its way in one direction, bytes: range of the option, and
   * default.
   */
  public static final int IN_FLIGHT_BYTES_MIN = 2 << 20;

  public static final int IN_FLIGHT_BYTES_MAX = 64 << 20;

  public static final int IN_FLIGHT_BYTES_DEFAULT = 16 << 20;

  /** What a message costs of the credit beside its length and header, bytes. */
  public static final int CREDIT_OVERHEAD_BYTES = 32;

  /** One grant, bytes. */
  public static final int GRANT_BYTES_MAX = 256 << 10;

  /** What a puller reserves before it asks, bytes, at the most. */
  public static final int PULL_RESERVATION_BYTES_MAX = 64 << 10;

  /** Node-wide solicitation budget and credit pool, bytes, by default. */
  public static final long SOLICITATION_BUDGET_BYTES = 64L << 20;

  public static final long CREDIT_POOL_BYTES = 64L << 20;

  /** Connections of one endpoint (event loop). */
  public static final int CONNECTIONS_MAX = 65_535;

  /** Handshakes not yet confirmed, of one endpoint; at half of it a token is demanded. */
  public static final int HALF_OPEN_MAX = 4_096;

  /**
   * Of these, once a token is demanded, those with a token from one network prefix (24 bits of
   * IPv4, 56 of IPv6).
   */
  public static final int HALF_OPEN_PER_PREFIX_MAX = 256;

  /**
   * Addresses of the host at which a server channel that is bound to a wildcard has a port, on each
   * of its event loops.
   */
  public static final int LOCAL_ADDRESSES_MAX = 64;

  /** Addresses at which a connection asks at a time whether its peer has moved there. */
  public static final int PATH_CANDIDATES_MAX = 4;

  /** Bytes sent to an address not yet validated, as a multiple of the bytes received from it. */
  public static final int AMPLIFICATION_MAX = 3;

  /** A CONNECT is padded to this, so that its answer is no amplification, bytes. */
  public static final int CONNECT_LENGTH_MIN = 512;

  /** A token, bytes. */
  public static final int TOKEN_LENGTH_MAX = 64;

  /** ACKs of packets never sent that end a connection. */
  public static final int ACKS_OF_UNSENT_MAX = 3;

  private Limits() {}
}
