package io.rtransport.core.transaction;

import java.nio.ByteBuffer;

/**
 * Source of the bytes of an outbound message. The adapter owns the memory. The core names it by an
 * opaque {@code handle}, which is not {@code Long.MIN_VALUE}. Called on the connection's loop only,
 * while a packet is built. A source reads memory; of the connection's verbs it may call {@code
 * ready} only.
 *
 * <p>The core lets go of the payload when the last byte was copied. If it lets go earlier, an entry
 * {@link OutboxEntry.Kind#SOURCE_RELEASED} says so. Exactly one of the two happens, once.
 */
public interface PayloadSource {
  /**
   * Copies {@code length} bytes of the message from {@code offset} to {@code to[index ..)}. An
   * empty message is asked for too, with a length of 0.
   *
   * @return bytes copied. Fewer than {@code length} means that the rest is not ready yet. Then call
   *     {@link io.rtransport.core.connection.ApplicationVerbs#ready(long)} when more bytes are
   *     there, during this call or later
   */
  int copy(long handle, long offset, ByteBuffer to, int index, int length);
}
