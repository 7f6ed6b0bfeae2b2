package io.rtransport.netty.node;

import io.rtransport.netty.RtSink;
import java.nio.ByteBuffer;

/**
 * The payload of a PUT for this node, and its room among the {@link UntakenBytes}: from its offer
 * until it is given up, or {@link #giveRoom}. Bytes come on the connection's event loop; the room
 * is given back on any thread.
 */
final class PutSink extends RtSink {
  /** Bytes of the longest payload. */
  static final int LENGTH_MAX = 16 << 20;

  private static final byte[] NONE = {};

  private final UntakenBytes room;
  private final long host;
  private final int lengthBytes;
  private byte[] bytes = NONE;
  private boolean hasRoom = true;

  /** Makes it for a message that has room. */
  PutSink(UntakenBytes room, long host, int lengthBytes) {
    this.room = room;
    this.host = host;
    this.lengthBytes = lengthBytes;
  }

  @Override
  protected void write(long offset, ByteBuffer from, int index, int length) {
    if (bytes.length == 0) {
      bytes = new byte[lengthBytes];
    }
    from.get(index, bytes, (int) offset, length);
  }

  @Override
  protected void end(boolean whole) {
    if (!whole) {
      bytes = NONE;
      giveRoom();
    }
  }

  /** Returns the whole payload, and keeps it no longer. */
  byte[] takeBytes() {
    byte[] taken = bytes;
    bytes = NONE;
    return taken;
  }

  /** Gives the room back, once: the message has ended. */
  void giveRoom() {
    synchronized (this) {
      if (!hasRoom) {
        return;
      }
      hasRoom = false;
    }
    room.give(host, lengthBytes);
  }
}
