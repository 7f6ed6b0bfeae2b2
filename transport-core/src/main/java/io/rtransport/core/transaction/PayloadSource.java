package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * Where the bytes of an outbound message come from. The adapter owns the memory; the core names it
 * by an opaque {@code handle}, which is not {@code Long.MIN_VALUE}. Called on the connection's loop
 * only, while a packet is built: it reads memory, and asks nothing of the connection but {@code
 * ready}.
 *
 * <p>Once the last byte was copied the core has let go of the payload. Where it lets go before, it
 * says so by an entry {@link OutboxEntry.Kind#SOURCE_RELEASED}. One of the two comes, once.
 */
public interface PayloadSource {
  /**
   * Copies {@code length} bytes of the message from {@code offset} to {@code to[index ..)}. An
   * empty message is asked for its last byte too, by a length of 0.
   *
   * @return bytes copied; fewer than {@code length} means not ready yet: then {@link
   *     io.rtransport.core.connection.ApplicationVerbs#ready(long)} once more are there, within
   *     this call already or later
   */
  int copy(long handle, long offset, ByteBuffer to, int index, int length);
}
