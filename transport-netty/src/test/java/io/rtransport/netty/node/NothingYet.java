package io.rtransport.netty.node;

import io.rtransport.netty.RtPayload;
import java.nio.ByteBuffer;

/** A payload of which nothing ever comes. */
final class NothingYet extends RtPayload {
  private final long lengthBytes;

  NothingYet(long lengthBytes) {
    this.lengthBytes = lengthBytes;
  }

  @Override
  public long lengthBytes() {
    return lengthBytes;
  }

  @Override
  protected int copy(long offset, ByteBuffer to, int index, int length) {
    return 0;
  }

  @Override
  protected void deallocate() {}

  @Override
  public RtPayload touch(Object hint) {
    return this;
  }
}
