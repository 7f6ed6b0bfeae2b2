package io.rtransport.netty.internal.loop;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Copies of packets that came in on another event loop than their own. They are copies because the
 * receive buffer belongs to the loop that read it, and has up to 64 KiB. One owner at a time, who
 * releases it.
 */
public final class PacketBatch {
  /** Limits of one batch, packets and bytes: one coalesced read. */
  public static final int PACKETS_MAX = 64;

  public static final int BYTES_MAX = 65_536;

  private static final int BYTES_AT_FIRST = 2_048;
  private static final int PACKETS_AT_FIRST = 8;

  /** Port of the loop that must deal with the packets. */
  public final RtPort port;

  private final ByteBuf bytes;
  private int[] lengths = new int[PACKETS_AT_FIRST];
  private InetSocketAddress[] senders = new InetSocketAddress[PACKETS_AT_FIRST];
  private int count;

  public PacketBatch(RtPort port) {
    this(port, ByteBufAllocator.DEFAULT);
  }

  public PacketBatch(RtPort port, ByteBufAllocator memory) {
    this.port = port;
    this.bytes = memory.directBuffer(BYTES_AT_FIRST, BYTES_MAX);
  }

  /** Adds a copy of a packet. Returns false if there is no room for it, or no memory. */
  public boolean add(ByteBuffer view, int offset, int length, InetSocketAddress from) {
    if (count == PACKETS_MAX || length > BYTES_MAX - bytes.writerIndex() || !hasMemory(length)) {
      return false;
    }
    if (count == lengths.length) {
      lengths = Arrays.copyOf(lengths, 2 * count);
      senders = Arrays.copyOf(senders, 2 * count);
    }
    bytes.setBytes(bytes.writerIndex(), view.duplicate().position(offset).limit(offset + length));
    bytes.writerIndex(bytes.writerIndex() + length);
    lengths[count] = length;
    senders[count] = from;
    count++;
    return true;
  }

  private boolean hasMemory(int length) {
    try {
      bytes.ensureWritable(length);
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  /** Returns whether {@link #addAll} would add all packets of {@code other}, if there is memory. */
  public boolean hasRoomFor(PacketBatch other) {
    return other.port == port
        && other.count <= PACKETS_MAX - count
        && other.bytes.writerIndex() <= BYTES_MAX - bytes.writerIndex();
  }

  /** Adds copies of all packets of {@code other}, or of none. */
  public boolean addAll(PacketBatch other) {
    if (!hasRoomFor(other) || !hasMemory(other.bytes.writerIndex())) {
      return false;
    }
    int both = count + other.count;
    if (both > lengths.length) {
      lengths = Arrays.copyOf(lengths, Math.max(2 * lengths.length, both));
      senders = Arrays.copyOf(senders, lengths.length);
    }
    bytes.writeBytes(other.bytes, 0, other.bytes.writerIndex());
    System.arraycopy(other.lengths, 0, lengths, count, other.count);
    System.arraycopy(other.senders, 0, senders, count, other.count);
    count = both;
    return true;
  }

  public int count() {
    return count;
  }

  /** Returns the packets, end to end; borrowed. */
  public ByteBuf bytes() {
    return bytes;
  }

  public int length(int i) {
    return lengths[i];
  }

  public InetSocketAddress sender(int i) {
    return senders[i];
  }

  public void release() {
    bytes.release();
  }
}
