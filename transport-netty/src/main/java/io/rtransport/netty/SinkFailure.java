package io.rtransport.netty;

import java.io.IOException;

/**
 * A pull was answered, and its own sink failed over the answer: told apart from whatever type the
 * sink threw.
 */
final class SinkFailure extends IOException {
  private static final long serialVersionUID = 1L;

  SinkFailure(IOException ofSink) {
    super(ofSink.getMessage(), ofSink);
  }
}
