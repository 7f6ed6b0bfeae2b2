package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;

/**
 * A message of the peer with a buffer of its own, or a request, until it stands in the completion
 * queue. Objects are reused. Loop-confined.
 */
final class InboundMessage {
  final int slot;
  boolean isRequest;
  long rsn;

  /** Bytes of the message, or the limit of the request. */
  long length;

  /** The header, and behind it the bytes of a message. */
  ByteBuf buffer;

  int headerLength;

  InboundMessage(int slot) {
    this.slot = slot;
  }
}
