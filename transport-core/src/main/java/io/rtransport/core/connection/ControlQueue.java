package io.rtransport.core.connection;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import java.nio.ByteBuffer;

/**
 * Queue of unnumbered packets, from the call that makes them to {@code Connection.pollTransmit},
 * which follows it. All connections of an event loop share one queue, so that an idle connection
 * keeps nothing.
 *
 * <p>When the queue is full, a packet is dropped and counted: every such packet is repeated or
 * asked for again. The last {@link #RESERVED} places are for packets that end or move a connection.
 */
final class ControlQueue {
  /** Places for CLOSE, CLOSE_ACK and PATH_RESPONSE only. */
  static final int RESERVED = 8;

  private static final int BYTES = Limits.PACKET_LENGTH_MAX + (32 << 10);

  private final ByteBuffer memory = ByteBuffer.allocateDirect(BYTES);
  private final Object[] owners = new Object[PacketBurst.CAPACITY];
  private final int[] offsets = new int[PacketBurst.CAPACITY];
  private final int[] lengths = new int[PacketBurst.CAPACITY];
  private final int[] paths = new int[PacketBurst.CAPACITY];
  private final PacketBurst taken = new PacketBurst();
  private int count;
  private int left;
  private int tail;

  /**
   * Adds a copy of the packet {@code from[0 .. length)}.
   *
   * @param of connection that takes it
   * @param counters of that connection
   */
  void add(Object of, Counters counters, ByteBuffer from, int length, int pathIndex) {
    int placesMax = isReserving(from) ? PacketBurst.CAPACITY : PacketBurst.CAPACITY - RESERVED;
    if (count >= placesMax || BYTES - tail < length) {
      counters.increment(CounterId.CONTROL_DROPPED);
      return;
    }
    memory.put(tail, from, 0, length);
    owners[count] = of;
    offsets[count] = tail;
    lengths[count] = length;
    paths[count] = pathIndex;
    tail += length;
    count++;
    left++;
  }

  private static boolean isReserving(ByteBuffer packet) {
    int type = packet.get(1) & 0x1F;
    return type == PacketType.CLOSE
        || type == PacketType.CLOSE_ACK
        || type == PacketType.PATH_RESPONSE;
  }

  /**
   * Takes the packets of one connection, in order; null if there are none. Valid until the next
   * call.
   */
  PacketBurst take(Object of) {
    if (left == 0 || !has(of)) {
      return null;
    }
    taken.clear();
    for (int i = 0; i < count; i++) {
      if (owners[i] == of) {
        owners[i] = null;
        left--;
        taken.add(memory, offsets[i], lengths[i], paths[i], PacketBurst.TRANSIENT);
      }
    }
    dropTaken();
    return taken;
  }

  /** Frees the places behind the last packet that waits. Its bytes are read until the next call. */
  private void dropTaken() {
    while (count > 0 && owners[count - 1] == null) {
      count--;
    }
    tail = count == 0 ? 0 : offsets[count - 1] + lengths[count - 1];
  }

  boolean has(Object of) {
    for (int i = 0; left > 0 && i < count; i++) {
      if (owners[i] == of) {
        return true;
      }
    }
    return false;
  }
}
