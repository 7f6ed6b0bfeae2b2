package io.rtransport.core.connection;

import io.rtransport.core.wire.CloseCode;

/**
 * Why a connection ended: reaches the application on both sides.
 *
 * @param code a {@link CloseCode}'s or, from {@link CloseCode#APPLICATION_CODE_MIN}, the closing
 *     application's own
 * @param text for people, at most 256 bytes of UTF-8; never null
 * @param isByPeer whether the peer ended it
 */
public record CloseReason(int code, String text, boolean isByPeer) {
  /** A reason of RT's own. */
  public static CloseReason of(CloseCode code) {
    return new CloseReason(code.code(), code.sentence(), false);
  }

  /** Whether the connection ended by {@code close()} on either side, with nothing lost. */
  public boolean isNormal() {
    return code == CloseCode.NORMAL.code();
  }

  @Override
  public String toString() {
    return CloseCode.nameOf(code)
        + (isByPeer ? " by peer" : "")
        + (text.isEmpty() ? "" : ": " + text);
  }
}
