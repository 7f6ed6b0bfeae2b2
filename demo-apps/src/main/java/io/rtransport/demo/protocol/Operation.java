package io.rtransport.demo.protocol;

/** What a request asks for. The code is on the wire; codes are never reused. */
public enum Operation {
  /**
   * A push: store all of the payload but the last 32 bytes under the name, once its size is found
   * right and those are its SHA-256.
   */
  STORE(1),
  /**
   * A pull: {@link FileStat} of a name. Its checksum is computed only if the size is the one in the
   * header.
   */
  STAT(2),
  /** A pull: the bytes of a file, and the SHA-256 of what was read. */
  FETCH(3),
  /**
   * A pull: a page of {@link Listing}, of the names after the one in the header (empty: from the
   * first).
   */
  LIST(4),
  /** A pull: the 8 bytes of the header's size field, back. */
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

  /** The operation with this code, or null. */
  static Operation ofCode(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }
}
