package io.rtransport.netty;

import io.rtransport.netty.port.ReceiveBuffer;
import java.nio.ByteBuffer;

/** Memory of an event loop that its channels use, each for the time of a call. Loop-confined. */
interface LoopBuffers {
  /**
   * Up to this length a copy by way of an array is cheaper than the view of a buffer that Netty
   * makes for each new one.
   */
  int COPY_BYTES_MAX = 1_024;

  /** For copies that end before the call that makes them: {@link #COPY_BYTES_MAX} bytes. */
  byte[] copyScratch();

  /** The receive buffer behind {@code view}, while its packets are on their way up; else null. */
  ReceiveBuffer lentBuffer(ByteBuffer view);

  /** Runs of small writes, to be taken and given back. */
  CoalescedWritesPool messageRuns();
}
