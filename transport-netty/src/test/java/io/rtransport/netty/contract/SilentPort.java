package io.rtransport.netty.contract;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A loopback port that answers nobody: a datagram socket that is not read; over TCP a listener
 * whose queue is full.
 */
final class SilentPort implements AutoCloseable {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final DatagramSocket datagrams;
  private final ServerSocket listener;
  private final List<SocketChannel> queued = new ArrayList<>();

  SilentPort(Transport transport) throws IOException {
    if (transport.isRt()) {
      datagrams = new DatagramSocket(ANY);
      listener = null;
      return;
    }
    datagrams = null;
    listener = new ServerSocket();
    listener.bind(ANY, 1);
    for (int i = 0; i < 8; i++) { // more than a queue of one holds: the rest wait for an answer
      SocketChannel client = SocketChannel.open();
      client.configureBlocking(false);
      client.connect(listener.getLocalSocketAddress());
      queued.add(client);
    }
  }

  InetSocketAddress address() {
    return (InetSocketAddress)
        (datagrams == null ? listener.getLocalSocketAddress() : datagrams.getLocalSocketAddress());
  }

  @Override
  public void close() throws IOException {
    for (SocketChannel client : queued) {
      client.close();
    }
    if (listener != null) {
      listener.close();
    }
    if (datagrams != null) {
      datagrams.close();
    }
  }
}
