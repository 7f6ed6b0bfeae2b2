package io.rtransport.netty;

import java.io.IOException;

/**
 * Failure of a pull that was answered, whose own sink failed over the answer. Its type tells it
 * apart from every exception that a sink may throw.
 */
final class SinkFailure extends IOException {
  private static final long serialVersionUID = 1L;

  SinkFailure(IOException ofSink) {
    super(ofSink.getMessage(), ofSink);
  }
}
