package io.rtransport.demo.protocol;

/** Operation of a request. Its code is on the wire; codes are never reused. */
public enum Operation {
  /**
   * A push: store the payload without its last 32 bytes under the name. Its size must be right, and
   * the last 32 bytes must be its SHA-256.
   */
  STORE(1),
  /**
   * A pull: {@link FileStat} of a name. The checksum is computed only if the size equals the one in
   * the header.
   */
  STAT(2),
  /** A pull: the bytes of a file, and the SHA-256 of the bytes read. */
  FETCH(3),
  /**
   * A pull: a page of {@link Listing}, with the names after the one in the header (empty: from the
   * first).
   */
  LIST(4),
  /** A pull: returns the 8 bytes of the header's size field. */
  ECHO(5);

  private static final Operation[] BY_CODE = new Operation[6];

  static {
    for (Operation operation : values()) {
      BY_CODE[operation.code] = operation;
    }
  }

  private final int code;

  Operation(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Returns the operation with this code, or null. */
  static Operation ofCode(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
