package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * Where the bytes of an outbound message come from. The adapter owns the memory; the core names it
 * by an opaque {@code handle}. Called on the connection's loop only.
 */
public interface PayloadSource {
  /**
   * Copies {@code length} bytes of the message from {@code offset} to {@code to[index ..)}.
   *
   * @return bytes copied; fewer than {@code length} means not ready yet: then {@link
   *     io.rtransport.core.connection.ApplicationVerbs#ready(long)} once more are there, within
   *     this call already or later
   */
  int copy(long handle, long offset, ByteBuffer to, int index, int length);

  /** Called exactly once: when the last byte is packetised, or the transaction ends before. */
  void release(long handle);
}
