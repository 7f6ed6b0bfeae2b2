package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;

/**
 * Buffer of a message that was read, with a callback for its last release (ACKNOWLEDGE =
 * ON_RELEASE). Slices and duplicates share its reference count, so no release is missed.
 */
final class AcknowledgingBuffer extends CompositeByteBuf {
  private final Runnable onRelease;

  /**
   * @param content taken over by this buffer
   * @param onRelease called once, on the thread of the last release
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
