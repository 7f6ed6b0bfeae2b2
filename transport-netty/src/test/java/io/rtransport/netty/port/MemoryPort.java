package io.rtransport.netty.port;

import io.rtransport.core.burst.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;

/**
 * A port whose wire is a test's: what it sends goes to a {@link Wire}, what it is to receive is
 * handed to it.
 */
public final class MemoryPort extends RtPort {
  /** Where packets leave. The bytes are borrowed. */
  public interface Wire {
    void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);

    boolean hasRoom();
  }

  private final PortContext context;
  private final Wire wire;
  private final InetSocketAddress local;
  private InetSocketAddress remote;
  private long calls;
  private boolean isWaitingForRoom;
  private boolean readsInPieces;

  public MemoryPort(
      PortContext context, Wire wire, InetSocketAddress local, InetSocketAddress remote) {
    this.context = context;
    this.wire = wire;
    this.local = local;
    this.remote = remote;
  }

  /**
   * Delivers all packets of {@code burst} as one read batch. On the loop.
   *
   * @param sources says where the packet of an index came from
   */
  public void receive(PacketBurst burst, IntFunction<InetSocketAddress> sources) {
    receive(burst, sources, () -> {});
  }

  /**
   * As {@link #receive}, with what the loop does between the last packet and the word that the
   * batch is over.
   */
  public void receive(
      PacketBurst burst, IntFunction<InetSocketAddress> sources, Runnable beforeItsEnd) {
    ReceiveBuffer buffer = null;
    int end = 0;
    for (int i = 0; i < burst.count(); i++) {
      int length = burst.length(i);
      InetSocketAddress from = sources.apply(i);
      if (buffer == null || end + length > buffer.capacity()) {
        release(buffer);
        buffer = context.receiveBuffers().take(ReceiveBuffers.COALESCED_LENGTH);
        end = 0;
      }
      buffer.view().put(end, burst.buffer(i), burst.offset(i), length);
      context.listener().onPacket(this, buffer, end, length, from);
      end += length;
    }
    release(buffer);
    beforeItsEnd.run();
    context.receiveBuffers().readComplete();
    context.listener().onReadComplete(this);
  }

  private static void release(ReceiveBuffer buffer) {
    if (buffer != null) {
      buffer.bytes().release();
    }
  }

  /** Reads of it end in another task than that in which their packets come. */
  public void readInPieces() {
    readsInPieces = true;
  }

  public boolean isWaitingForRoom() {
    return isWaitingForRoom;
  }

  /** The wire has room again. On the loop. */
  public void room() {
    isWaitingForRoom = false;
    context.listener().onRoom(this);
  }

  @Override
  public boolean readsInPieces() {
    return readsInPieces;
  }

  @Override
  public InetSocketAddress localAddress() {
    return local;
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return remote;
  }

  @Override
  public void connect(InetSocketAddress newRemote) {
    remote = newRemote;
  }

  @Override
  public boolean hasRoom() {
    boolean hasRoom = wire.hasRoom();
    isWaitingForRoom |= !hasRoom;
    return hasRoom;
  }

  @Override
  public void send(PacketBurst burst, InetSocketAddress to) {
    calls++;
    for (int i = 0; i < burst.count(); i++) {
      if (!burst.isDropped(i)) {
        wire.send(burst.buffer(i), burst.offset(i), burst.length(i), to);
      }
    }
  }

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    calls++;
    wire.send(buffer, offset, length, to);
  }

  @Override
  protected void close() {
    context.listener().onClosed(this);
  }

  @Override
  public long socketCalls() {
    return calls;
  }
}
