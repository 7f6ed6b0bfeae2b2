package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/**
 * What was read, and who is to hear of its last release (ACKNOWLEDGE = ON_RELEASE): slices and
 * duplicates count on it, so none is missed.
 */
final class AcknowledgingBuffer extends CompositeByteBuf {
  private final Runnable onRelease;

  /**
   * @param content is this buffer's from now on
   * @param onRelease called once, on the thread that releases last
   */
  AcknowledgingBuffer(ByteBufAllocator alloc, ByteBuf content, Runnable onRelease) {
    super(alloc, content.isDirect(), 1);
    this.onRelease = onRelease;
    addComponent(true, content);
  }

  @Override
  protected void deallocate() {
    super.deallocate();
    onRelease.run();
  }
}
