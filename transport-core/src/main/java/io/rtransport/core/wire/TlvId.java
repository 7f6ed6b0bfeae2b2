package io.rtransport.core.wire;

import io.rtransport.core.parameter.ConnectionParameter;

/**
 * The parameters in CONNECT and ACCEPT: the valid lengths of their values, and the ids of
 * parameters that are not numbers. {@link ConnectionParameter} has the ids of the numbers. A
 * receiver skips unknown ids.
 */
public final class TlvId {
  /** Versions that the sender supports, one byte each. */
  public static final int VERSIONS = 1;

  /** Token of the RETRY that the CONNECT answers. */
  public static final int TOKEN = 2;

  /** Names of the sender's network interfaces, UTF-8, separated by commas. */
  public static final int NIDS = 3;

  /** Bytes of the longest list of versions. */
  public static final int VERSIONS_LENGTH_MAX = 16;

  /** Bytes of the longest list of network interface names. */
  public static final int NIDS_LENGTH_MAX = 256;

  private TlvId() {}

  /** Returns whether version 1 knows the id. */
  public static boolean isKnown(int id) {
    return id >= VERSIONS && id <= NIDS || isNumber(id);
  }

  /** Returns whether the value is an unsigned number of 1, 2, 4 or 8 bytes. */
  public static boolean isNumber(int id) {
    return ConnectionParameter.ofId(id) != null;
  }

  /** Returns whether {@code length} bytes is a valid length for a known id. */
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
