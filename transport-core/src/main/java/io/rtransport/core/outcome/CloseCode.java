package io.rtransport.core.outcome;

/**
 * Codes with which RT itself ends connections and transactions. An application's own codes for
 * {@code close()} start at 256.
 */
public enum CloseCode {
  NORMAL(0, "closed by the application"),
  PROTOCOL_ERROR(1, "the peer broke a rule of the protocol"),
  RETRY_EXCEEDED(2, "no progress for the total timeout of the profile (IBV_WC_RETRY_EXC_ERR)"),
  IDLE_TIMEOUT(3, "nothing received for the idle timeout"),
  PEER_RESTARTED(4, "the peer came back as a new incarnation"),
  RESET(5, "the peer does not know this connection"),
  CONNECT_TIMEOUT(6, "no answer to CONNECT"),
  REJECTED(7, "the peer refused the connection"),
  CLOSING(8, "the peer is closing and takes no new transactions"),
  ABORTED(9, "ended without waiting for what was outstanding"),
  VERSION(10, "no protocol version in common"),
  INTERNAL_ERROR(11, "a defect of this implementation"),
  UNREACHABLE(12, "nothing listens at the peer's address"),
  REFUSED_BY_SINK(13, "the target has no place for this message"),
  APPLICATION_ERROR(14, "the peer's application broke off over this message"),
  CANCELLED(15, "given up by the application that began it"),
  DEADLINE(16, "not ended by the deadline that its application had set");

  /** The first code that an application may choose for itself. */
  public static final int APPLICATION_CODE_MIN = 256;

  private static final CloseCode[] ALL = values();

  private final int code;
  private final String sentence;

  CloseCode(int code, String sentence) {
    this.code = code;
    this.sentence = sentence;
  }

  public int code() {
    return code;
  }

  public String sentence() {
    return sentence;
  }

  /** Returns the name of {@code code}; for an application's own code, the number as text. */
  public static String nameOf(int code) {
    return code >= 0 && code < ALL.length ? ALL[code].name() : Integer.toUnsignedString(code);
  }
}
