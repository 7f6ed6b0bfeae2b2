package io.rtransport.demo.protocol;

/**
 * Reason for which a target refuses or fails a request: the application code of RT's error records.
 * Codes are never reused.
 */
public enum ErrorCode {
  BAD_REQUEST(1, "not a request of the demo protocol, version 2"),
  BAD_NAME(2, "a name that the store does not take"),
  NOT_FOUND(3, "no such file"),
  NOT_A_FILE(4, "the name is taken by something that is not a regular file"),
  NO_SPACE(5, "not enough space in the store"),
  CHECKSUM(6, "the bytes stored have another checksum than the ones sent"),
  IO(7, "the store failed to read or write"),
  BUSY(8, "too many files are being stored at once"),
  CHANGED(9, "the file changed since it was asked about"),
  TOO_LONG(10, "longer than the puller takes");

  private final int code;
  private final String text;

  ErrorCode(int code, String text) {
    this.code = code;
    this.text = text;
  }

  public int code() {
    return code;
  }

  /** Returns one sentence for people. */
  public String text() {
    return text;
  }

  /** Returns the constant with this code, or null: the peer may be newer. */
  public static ErrorCode ofCode(int code) {
    return code >= 1 && code <= values().length ? values()[code - 1] : null;
  }
}
