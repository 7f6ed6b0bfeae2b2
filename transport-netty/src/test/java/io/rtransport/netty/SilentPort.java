package io.rtransport.netty;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A port that sends nothing. */
public class SilentPort extends RtPort {
  @Override
  public InetSocketAddress localAddress() {
    return new InetSocketAddress("127.0.0.1", 7400);
  }

  @Override
  public InetSocketAddress remoteAddress() {
    return null;
  }

  @Override
  public void connect(InetSocketAddress remote) {}

  @Override
  public boolean hasRoom() {
    return true;
  }

  @Override
  public void send(PacketBurst burst, InetSocketAddress to) {}

  @Override
  public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {}

  @Override
  protected void close() {}

  @Override
  public long socketCalls() {
    return 0;
  }
}
