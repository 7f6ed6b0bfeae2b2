package io.rtransport.demo.store;

import io.rtransport.demo.protocol.ErrorCode;
import java.io.IOException;

/** Refusal of the store: a code for the peer, and a sentence. */
public final class StoreException extends IOException {
  private static final long serialVersionUID = 1L;

  private final ErrorCode code;

  public StoreException(ErrorCode code) {
    this(code, code.text());
  }

  public StoreException(ErrorCode code, String text) {
    super(text);
    this.code = code;
  }

  public ErrorCode code() {
    return code;
  }

  /** Returns {@code e} in the form for the peer: without the paths of this machine. */
  public static StoreException of(Exception e) {
    return e instanceof StoreException known ? known : new StoreException(ErrorCode.IO);
  }
}
