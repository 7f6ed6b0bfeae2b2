package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;

/**
 * A buffer that a socket reads into, with the one view of it that the core sees. While its
 * reference count is above 1, it is also held by another user: the socket's read, a burst on its
 * way up, or a slice that an application kept. Loop-confined, except the count.
 */
public final class ReceiveBuffer {
  private final ByteBuf bytes;
  private final ByteBuf root;
  private final ByteBuffer view;
  int nextOffset;

  ReceiveBuffer(ByteBuf bytes) {
    this.bytes = bytes;
    this.root = rootOf(bytes);
    this.view = bytes.nioBuffer(0, bytes.capacity());
  }

  /** Returns a view of packets that were not read by this loop. The bytes stay the caller's. */
  public static ReceiveBuffer of(ByteBuf bytes) {
    return new ReceiveBuffer(bytes);
  }

  /** Returns the core's view. Its index i is index i of {@link #bytes}. */
  public ByteBuffer view() {
    return view;
  }

  /** Returns the bytes; borrowed. */
  public ByteBuf bytes() {
    return bytes;
  }

  public int capacity() {
    return view.capacity();
  }

  boolean isFree() {
    return bytes.refCnt() == 1;
  }

  boolean holds(ByteBuf rootOfContent) {
    return root == rootOfContent;
  }

  /**
   * Returns where the readable bytes of {@code content} begin in this buffer. It is for reads that
   * each have their own place in the buffer. Some of these reads bring nothing.
   */
  int offsetOf(ByteBuf content) {
    boolean hasAddress = bytes.hasMemoryAddress() && content.hasMemoryAddress();
    long distance =
        hasAddress
            ? content.memoryAddress() - bytes.memoryAddress()
            : Buffer.memoryAddress(content.nioBuffer(0, content.capacity()))
                - Buffer.memoryAddress(view);
    return (int) distance + content.readerIndex();
  }

  static ByteBuf rootOf(ByteBuf buffer) {
    ByteBuf root = buffer;
    for (ByteBuf next = root.unwrap(); next != null; next = root.unwrap()) {
      root = next;
    }
    return root;
  }
}
