package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.unix.Buffer;
import java.nio.ByteBuffer;

/**
 * A buffer that a socket reads into, with the one view of it that the core sees. While its count is
 * above 1 somebody else (the socket's read, a burst on its way up, a slice that an application
 * kept) holds it. Loop-confined, the count apart.
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

  /** A view of packets that did not come by a read of this loop's; the bytes stay the caller's. */
  public static ReceiveBuffer of(ByteBuf bytes) {
    return new ReceiveBuffer(bytes);
  }

  /** Index i of it is index i of {@link #bytes}. */
  public ByteBuffer view() {
    return view;
  }

  /** The bytes; borrowed. */
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
   * Where {@code content}'s readable bytes begin in it: for reads of which each has its place, and
   * some bring nothing.
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
