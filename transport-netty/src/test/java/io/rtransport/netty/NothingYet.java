package io.rtransport.netty;

import java.nio.ByteBuffer;

/** A payload of which nothing ever comes. */
public final class NothingYet extends RtPayload {
  private final long lengthBytes;

  public NothingYet(long lengthBytes) {
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
