package io.rtransport.netty.internal.loop;

import io.rtransport.netty.internal.write.CoalescedWritesPool;
import io.rtransport.netty.port.ReceiveBuffer;
import java.nio.ByteBuffer;

/** Memory of an event loop that its channels use, each for the time of a call. Loop-confined. */
public final class LoopBuffers {
  /**
   * Up to this length a copy by way of an array is cheaper than the view of a buffer that Netty
   * makes for each new one.
   */
  public static final int COPY_BYTES_MAX = 1_024;

  private final byte[] copyScratch = new byte[COPY_BYTES_MAX];
  private final CoalescedWritesPool messageRuns = new CoalescedWritesPool();
  private final BurstAssembler assembler;

  /**
   * @param assembler knows in which receive buffers the packets lie that are on their way up
   */
  public LoopBuffers(BurstAssembler assembler) {
    this.assembler = assembler;
  }

  /** For copies that end before the call that makes them: {@link #COPY_BYTES_MAX} bytes. */
  public byte[] copyScratch() {
    return copyScratch;
  }

  /** The receive buffer behind {@code view}, while its packets are on their way up; else null. */
  public ReceiveBuffer lentBuffer(ByteBuffer view) {
    return assembler.lentBuffer(view);
  }

  /** Runs of small writes, to be taken and given back. */
  public CoalescedWritesPool messageRuns() {
    return messageRuns;
  }
}
