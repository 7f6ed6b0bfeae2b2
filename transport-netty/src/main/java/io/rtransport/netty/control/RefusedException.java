package io.rtransport.netty.control;

import java.io.IOException;

/** A node refused a request: the message is its one line, with field, value and valid range. */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
