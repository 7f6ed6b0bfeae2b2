package io.rtransport.core.wire;

import io.rtransport.core.parameter.ConnectionParameter;

/**
 * The parameters that CONNECT and ACCEPT carry: what a value looks like, and the ids of those that
 * are no numbers. The ids of the numbers are {@link ConnectionParameter}'s. Others are skipped.
 */
public final class TlvId {
  /** The versions the sender speaks, one byte each. */
  public static final int VERSIONS = 1;

  /** The token of the RETRY that is answered. */
  public static final int TOKEN = 2;

  /** The names of the sender's network interfaces, UTF-8, separated by commas. */
  public static final int NIDS = 3;

  /** Bytes of the longest list of versions. */
  public static final int VERSIONS_LENGTH_MAX = 16;

  /** Limit of the names of network interfaces, bytes. */
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

  /** Returns whether a value of {@code length} bytes is well formed for a known id. */
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
