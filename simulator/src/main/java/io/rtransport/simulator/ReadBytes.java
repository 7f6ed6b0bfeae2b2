package io.rtransport.simulator;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Overwrites the datagrams of a burst once {@code receive} has returned, as may happen in a
 * socket's buffer. A late reader takes the fill bytes for a packet with one request, which names an
 * RSN that nobody uses.
 */
final class ReadBytes {
  private static final byte GONE = 1;

  /** RSN of a request that is read where every byte is {@link #GONE}. */
  private static final long GONE_RSN = 0x01010101L;

  private static final String GONE_TEXT = Long.toString(GONE_RSN);

  private static final byte[] FILL = new byte[Datagram.CAPACITY];

  static {
    Arrays.fill(FILL, GONE);
  }

  private ReadBytes() {}

  /** Overwrites the burst after the connection has had it. */
  static void scribble(PacketBurst burst) {
    for (int i = 0; i < burst.count(); i++) {
      burst.buffer(i).put(burst.offset(i), FILL, 0, burst.length(i));
    }
  }

  /** Returns whether these bytes were overwritten, and are not an equal message. */
  static boolean isGone(ByteBuffer from, int index, int length) {
    for (int i = 0; i < length; i++) {
      if (from.get(index + i) != GONE) {
        return false;
      }
    }
    return length > 0;
  }

  /** Returns whether a connection ends because it has read overwritten bytes. */
  static boolean isReadIn(CloseReason reason) {
    return reason.code() == CloseCode.PROTOCOL_ERROR.code() && reason.text().contains(GONE_TEXT);
  }
}
