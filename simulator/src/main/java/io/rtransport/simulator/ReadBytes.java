package io.rtransport.simulator;

import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.core.wire.PacketBurst;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What becomes of the datagrams of a burst once {@code receive} has returned: every byte of them is
 * overwritten, as it may be in a socket's buffer. The byte is one that whoever reads it after all
 * takes for a packet with one request, which names an RSN that nobody uses.
 */
final class ReadBytes {
  private static final byte GONE = 1;

  /** The RSN of a request that is read where every byte is {@link #GONE}. */
  private static final long GONE_RSN = 0x01010101L;

  private static final String GONE_TEXT = Long.toString(GONE_RSN);

  private static final byte[] FILL = new byte[Datagram.CAPACITY];

  static {
    Arrays.fill(FILL, GONE);
  }

  private ReadBytes() {}

  /** The connection has had the burst. */
  static void scribble(PacketBurst burst) {
    for (int i = 0; i < burst.count(); i++) {
      burst.buffer(i).put(burst.offset(i), FILL, 0, burst.length(i));
    }
  }

  /** Whether these are bytes that were overwritten, and not a message that happens to be alike. */
  static boolean isGone(ByteBuffer from, int index, int length) {
    for (int i = 0; i < length; i++) {
      if (from.get(index + i) != GONE) {
        return false;
      }
    }
    return length > 0;
  }

  /** Whether a connection ends because it has read what was overwritten. */
  static boolean isReadIn(CloseReason reason) {
    return reason.code() == CloseCode.PROTOCOL_ERROR.code() && reason.text().contains(GONE_TEXT);
  }
}
