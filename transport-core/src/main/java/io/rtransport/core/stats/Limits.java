package io.rtransport.core.stats;

/**
 * All bounds that keep a peer from growing our memory or our work, in one place. Each is enforced
 * at an entry point and tested on both sides.
 */
public final class Limits {
  /**
   * UDP payload that a connection begins with, bytes. The minimum is IPv4's minimum reassembly. The
   * maximum is one unit of the retransmission store.
   */
  public static final int DATAGRAM_LENGTH_MIN = 576;

  public static final int DATAGRAM_LENGTH_MAX = 8_192;

  /**
   * Longest packet, bytes: what one UDP datagram of IPv4 holds. Packets above {@link
   * #DATAGRAM_LENGTH_MAX} need path MTU discovery.
   */
  public static final int PACKET_LENGTH_MAX = 65_507;

  /**
   * Answers that name no outstanding path MTU probe while there is one. After this number, no
   * answer to the probe is accepted, against guessing.
   */
  public static final int PROBE_GUESSES_MAX = 16;

  /** Packets in a window, a power of two. */
  public static final int WINDOW_PACKETS_MIN = 64;

  public static final int WINDOW_PACKETS_MAX = 16_384;

  /** Records in one packet: the count is one byte. */
  public static final int RECORDS_PER_PACKET_MAX = 255;

  /** Transactions of one direction that have not ended. */
  public static final int OUTSTANDING_MAX = 16_384;

  /** Largest distance of an RSN from the lowest RSN that has not ended. */
  public static final int RSN_SPAN_MAX = 1 << 20;

  /** Ranges of ended RSNs above the lowest RSN that has not ended. */
  public static final int ENDED_RANGES_MAX = 1_024;

  /** Application header of a request, bytes. */
  public static final int HEADER_LENGTH_MAX = 512;

  /** Longest small push that shares a packet with others and never asks, bytes. */
  public static final int READY_PUSH_BYTES_MAX = 256;

  /** Text of an error or of a close, UTF-8 bytes. */
  public static final int TEXT_LENGTH_MAX = 256;

  /** Longest message, bytes. */
  public static final long MESSAGE_LENGTH_MAX = 0xFFFF_FFFFL;

  /** Most unsolicited credit that one connection begins with, or reaches on a fast path, bytes. */
  public static final long CREDIT_BYTES_MAX = 2L << 20;

  /**
   * Largest lead of the credit limit over the bytes charged; a higher limit is invalid. Also the
   * most that bandwidth × delay may ask for, bytes.
   */
  public static final long CREDIT_AHEAD_BYTES_MAX = 64L << 20;

  /**
   * Bytes that one connection may have in flight in one direction: range and default of the option.
   */
  public static final int IN_FLIGHT_BYTES_MIN = 2 << 20;

  public static final int IN_FLIGHT_BYTES_MAX = 64 << 20;

  public static final int IN_FLIGHT_BYTES_DEFAULT = 16 << 20;

  /** Credit that a message costs in addition to its length and header, bytes. */
  public static final int CREDIT_OVERHEAD_BYTES = 32;

  /** Largest grant, bytes. */
  public static final int GRANT_BYTES_MAX = 256 << 10;

  /** Most that a puller reserves before it asks, bytes. */
  public static final int PULL_RESERVATION_BYTES_MAX = 64 << 10;

  /** Defaults of the node-wide solicitation budget and credit pool, bytes. */
  public static final long SOLICITATION_BUDGET_BYTES = 64L << 20;

  public static final long CREDIT_POOL_BYTES = 64L << 20;

  /** Connections of one endpoint (event loop). */
  public static final int CONNECTIONS_MAX = 65_535;

  /** Unconfirmed handshakes of one endpoint. At half of it a token is demanded. */
  public static final int HALF_OPEN_MAX = 4_096;

  /**
   * Unconfirmed handshakes with a token from one network prefix (24 bits of IPv4, 56 of IPv6), once
   * a token is demanded.
   */
  public static final int HALF_OPEN_PER_PREFIX_MAX = 256;

  /**
   * Addresses of the host for which a server channel bound to a wildcard has a port, on each of its
   * event loops.
   */
  public static final int LOCAL_ADDRESSES_MAX = 64;

  /**
   * Addresses that a connection challenges at the same time, to learn whether its peer has moved
   * there.
   */
  public static final int PATH_CANDIDATES_MAX = 4;

  /** Network interfaces of an endpoint. */
  public static final int LOCAL_NIS_MAX = 16;

  /** Open paths of a connection. */
  public static final int PATHS_MAX = 8;

  /** NIDs of a peer that a connection knows. */
  public static final int NIDS_MAX = 16;

  /** Addresses told by a peer that a connection challenges and that have not answered. */
  public static final int TOLD_ADDRESSES_MAX = 8;

  /** Challenges that go to an address told by a peer without an answer. */
  public static final int TOLD_CHALLENGES_MAX = 3;

  /** Challenges a second of an event loop that go to addresses told by peers. */
  public static final int TOLD_CHALLENGES_PER_SECOND_MAX = 64;

  /** Source ports a second that the connections of an event loop take anew. */
  public static final int NEW_PORTS_PER_SECOND_MAX = 64;

  /** Bytes sent to an address not yet validated, as a multiple of the bytes received from it. */
  public static final int AMPLIFICATION_MAX = 3;

  /** Length to which a CONNECT is padded, bytes. Its answer is then no amplification. */
  public static final int CONNECT_LENGTH_MIN = 512;

  /** Longest token, bytes. */
  public static final int TOKEN_LENGTH_MAX = 64;

  /** ACKs of packets never sent that end a connection. */
  public static final int ACKS_OF_UNSENT_MAX = 3;

  private Limits() {}
}
