package io.rtransport.netty.control;

import java.io.IOException;

/**
 * Refusal of a request by a node. The message is the node's one line, with field, value and valid
 * range.
 */
public final class RefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
