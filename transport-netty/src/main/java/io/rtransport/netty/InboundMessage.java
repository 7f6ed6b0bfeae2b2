package io.rtransport.netty;

import io.netty.buffer.ByteBuf;

/**
 * One message of the peer, from its first byte until the application has answered it. Objects are
 * reused.
 */
final class InboundMessage {
  /** Kind of the message. */
  enum Kind {
    PUSH,
    PULL_REQUEST
  }

  private static final byte[] NO_HEADER = {};

  final int slot;
  Kind kind;
  long rsn;
  long lengthBytes;
  byte[] header = NO_HEADER;
  RtSink sink;
  ByteBuf buffer;

  /** Bytes that the core has not been told of as taken. */
  long untakenBytes;

  InboundMessage(int slot) {
    this.slot = slot;
  }

  void clear() {
    kind = null;
    rsn = 0;
    lengthBytes = 0;
    header = NO_HEADER;
    sink = null;
    buffer = null;
    untakenBytes = 0;
  }
}
