package io.rtransport.core.wire;

/**
 * The parameters that CONNECT and ACCEPT carry: id, and what a value looks like. Ids not listed are
 * skipped; meaning, default and rule of agreement stand in docs/protocol.md.
 */
public final class TlvId {
  /** The versions the sender speaks, one byte each. */
  public static final int VERSIONS = 1;

  /** The token of the RETRY that is answered. */
  public static final int TOKEN = 2;

  /** The names of the sender's network interfaces, UTF-8, separated by commas. */
  public static final int NIDS = 3;

  public static final int REQUEST_WINDOW = 16;
  public static final int DATA_WINDOW = 17;
  public static final int FIRST_REQUEST_PSN = 18;
  public static final int FIRST_DATA_PSN = 19;
  public static final int FIRST_RSN = 20;
  public static final int FIRST_SSN = 21;
  public static final int ORDERED = 22;
  public static final int DATAGRAM_SIZE = 23;
  public static final int INITIAL_CREDIT = 24;
  public static final int OUTSTANDING_MAX = 25;
  public static final int SOLICIT_THRESHOLD = 26;
  public static final int HEADER_LENGTH_MAX = 27;
  public static final int MESSAGE_LENGTH_MAX = 28;
  public static final int ACK_DELAY_MAX_MICROS = 29;
  public static final int IDLE_TIMEOUT_MILLIS = 30;
  public static final int FEATURES = 31;
  public static final int ADP_TOTAL_MILLIS = 32;
  public static final int DATAGRAM_SIZE_MAX = 33;

  /** Bytes of the longest list of versions. */
  public static final int VERSIONS_LENGTH_MAX = 16;

  /** Bytes of the names of network interfaces, at the most. */
  public static final int NIDS_LENGTH_MAX = 256;

  private TlvId() {}

  /** Whether version 1 knows the id. */
  public static boolean isKnown(int id) {
    return id >= VERSIONS && id <= NIDS || isNumber(id);
  }

  /** Whether the value is an unsigned number of 1, 2, 4 or 8 bytes. */
  public static boolean isNumber(int id) {
    return id >= REQUEST_WINDOW && id <= DATAGRAM_SIZE_MAX;
  }

  /** Whether a value of {@code length} bytes is well formed for a known id. */
  public static boolean isLengthValid(int id, int length) {
    switch (id) {
      case VERSIONS:
        return length >= 1 && length <= VERSIONS_LENGTH_MAX;
      case TOKEN:
        return length >= 1 && length <= RetryFlyweight.TOKEN_LENGTH_MAX;
      case NIDS:
        return length <= NIDS_LENGTH_MAX;
      default:
        return length == 1 || length == 2 || length == 4 || length == 8;
    }
  }
}
