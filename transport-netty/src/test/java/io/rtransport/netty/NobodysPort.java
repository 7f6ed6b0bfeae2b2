package io.rtransport.netty;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A loopback port at which nobody listens, and nobody can begin to meanwhile: a socket has it that
 * takes datagrams from one address only, so the host tells all others that the port is unreachable.
 */
public final class NobodysPort implements AutoCloseable {
  private final DatagramSocket partner;
  private final DatagramSocket socket;

  public NobodysPort() throws IOException {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /**
   * Takes a loopback address that somebody has just left. Else a test that runs beside this one may
   * get it, and answer.
   */
  public NobodysPort(InetSocketAddress left) throws IOException {
    partner = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    socket = new DatagramSocket(left);
    socket.connect(partner.getLocalSocketAddress());
  }

  public InetSocketAddress address() {
    return (InetSocketAddress) socket.getLocalSocketAddress();
  }

  @Override
  public void close() {
    socket.close();
    partner.close();
  }
}
