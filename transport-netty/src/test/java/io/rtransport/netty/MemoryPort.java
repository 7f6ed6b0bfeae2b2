package io.rtransport.netty;

import io.rtransport.core.sim.PairHarness;
import io.rtransport.core.sim.SimAddresses;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.port.PortContext;
import io.rtransport.netty.port.ReceiveBuffer;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A port of one host of a simulated world: what it sends goes to the world's network, and its datagrams come from there. */
final class MemoryPort extends RtPort {
  private static final int DATAGRAM_CAPACITY = 8_192 + 64;

  private final int host;
  private final PairHarness harness;
  private final PortContext context;

  MemoryPort(int host, PairHarness harness, PortContext context) {
    this.host = host;
    this.harness = harness;
    this.context = context;
  }

  /** One read batch. */
  void read(PacketBurst burst) {
    for (int i = 0; i < burst.count(); i++) {
      int length = burst.length(i);
      ReceiveBuffer buffer = context.receiveBuffers().take(DATAGRAM_CAPACITY);
      buffer.view().put(0, burst.buffer(i), burst.offset(i), length);
      context.listener().onPacket(this, buffer, 0, length, SimAddresses.of(1 - host));
      buffer.bytes().release();
    }
    context.receiveBuffers().readComplete();
    context.listener().onReadComplete(this);
  }

  @Override
  public InetSocketAddress localAddress() {
    return SimAddresses.of(host);
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return SimAddresses.of(1 - host);
  }

  @Override
  public void connect(InetSocketAddress remote) {}

  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public void send(PacketBurst burst, InetSocketAddress to) {
    for (int i = 0; i < burst.count(); i++) {
      if (!burst.isDropped(i)) {
        harness.send(host, burst.buffer(i), burst.offset(i), burst.length(i));
      }
    }
  }

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    harness.send(host, buffer, offset, length);
  }

  @Override
  protected void close() {
    context.listener().onClosed(this);
  }

  @Override
  public long socketCalls() {
    return 0;
  }
}
