package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;

/**
 * A message of the peer with a buffer of its own, or a request, or the end of both, until it stands
 * in the completion queue. Objects are reused. Loop-confined.
 */
final class WaitingMessage {
  /** What it is. */
  enum Kind {
    MESSAGE,
    REQUEST,
    /** The peer begins nothing more. It has no buffer. */
    END
  }

  final int slot;
  Kind kind;
  long rsn;

  /** Bytes of the message, or the limit of the request. */
  long length;

  /** The application header. */
  byte[] header;

  /** Header and bytes of a message; null before the first byte has come, and for other kinds. */
  ByteBuf buffer;

  WaitingMessage(int slot) {
    this.slot = slot;
  }
}
