package io.rtransport.core.outcome;

/**
 * Reason of a connection's end, which the application of each side gets.
 *
 * @param code a code of {@link CloseCode} or, from {@link CloseCode#APPLICATION_CODE_MIN} on, the
 *     closing application's own
 * @param text for people, at most 256 bytes of UTF-8; never null
 * @param isByPeer whether the peer ended the connection
 */
public record CloseReason(int code, String text, boolean isByPeer) {
  /** Returns a reason of RT's own. */
  public static CloseReason of(CloseCode code) {
    return new CloseReason(code.code(), code.sentence(), false);
  }

  /** Returns whether {@code close()} on either side ended the connection, with nothing lost. */
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
