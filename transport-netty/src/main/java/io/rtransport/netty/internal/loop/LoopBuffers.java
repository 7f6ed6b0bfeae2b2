package io.rtransport.netty.internal.loop;

import io.rtransport.netty.internal.write.CoalescedWritesPool;
import io.rtransport.netty.port.ReceiveBuffer;
import java.nio.ByteBuffer;

/** Memory of an event loop that its channels use, each for the time of one call. Loop-confined. */
public final class LoopBuffers {
  /**
   * Longest copy, bytes, that is cheaper through an array than through the buffer view that Netty
   * makes for each new buffer.
   */
  public static final int COPY_BYTES_MAX = 1_024;

  private final byte[] copyScratch = new byte[COPY_BYTES_MAX];
  private final CoalescedWritesPool messageRuns = new CoalescedWritesPool();
  private final BurstAssembler assembler;

  /**
   * @param assembler knows the receive buffers of the packets that are on their way up
   */
  public LoopBuffers(BurstAssembler assembler) {
    this.assembler = assembler;
  }

  /**
   * Returns an array for copies that end within the call that makes them: {@link #COPY_BYTES_MAX}
   * bytes.
   */
  public byte[] copyScratch() {
    return copyScratch;
  }

  /**
   * Returns the receive buffer behind {@code view}, while its packets are on their way up; else
   * null.
   */
  public ReceiveBuffer lentBuffer(ByteBuffer view) {
    return assembler.lentBuffer(view);
  }

  /** Returns the pool of runs of small writes. */
  public CoalescedWritesPool messageRuns() {
    return messageRuns;
  }
}
