package io.rtransport.netty;

import io.rtransport.netty.port.ReceiveBuffer;
import java.nio.ByteBuffer;

/** Memory of an event loop that its channels use, each for the time of a call. Loop-confined. */
final class LoopBuffers {
  /**
   * Up to this length a copy by way of an array is cheaper than the view of a buffer that Netty
   * makes for each new one.
   */
  static final int COPY_BYTES_MAX = 1_024;

  private final byte[] copyScratch = new byte[COPY_BYTES_MAX];
  private final CoalescedWritesPool messageRuns = new CoalescedWritesPool();
  private final BurstAssembler assembler;

  /**
   * @param assembler knows in which receive buffers the packets lie that are on their way up
   */
  LoopBuffers(BurstAssembler assembler) {
    this.assembler = assembler;
  }

  /** For copies that end before the call that makes them: {@link #COPY_BYTES_MAX} bytes. */
  byte[] copyScratch() {
    return copyScratch;
  }

  /** The receive buffer behind {@code view}, while its packets are on their way up; else null. */
  ReceiveBuffer lentBuffer(ByteBuffer view) {
    return assembler.lentBuffer(view);
  }

  /** Runs of small writes, to be taken and given back. */
  CoalescedWritesPool messageRuns() {
    return messageRuns;
  }
}
