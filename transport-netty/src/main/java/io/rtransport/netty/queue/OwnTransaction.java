package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;

/**
 * One payload that the core reads or writes for this side: of a push that was lent or has a header,
 * of a pull's answer, or of an answer to the peer's pull. Objects are reused. Loop-confined.
 */
final class OwnTransaction {
  final int slot;
  long tag;
  boolean isPull;
  boolean isOver;

  /** What the core reads; null once it is released. */
  ByteBuf payload;

  /** What the core writes: the answer to a pull. */
  ByteBuf answer;

  OwnTransaction(int slot) {
    this.slot = slot;
  }
}
