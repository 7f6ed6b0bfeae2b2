package io.rtransport.netty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/** Carries datagrams between one client and a server: one rail, which can go dark. */
final class DarkRelay implements AutoCloseable {
  private static final int SOCKET_BYTES = 4 << 20;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final DatagramChannel front;
  private final DatagramChannel back;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread = new Thread(this::run, "dark relay");
  private InetSocketAddress client;
  private volatile boolean isDarkOut;
  private volatile boolean isDarkBack;
  private volatile long carriedOut;
  private volatile long carriedBack;
  private volatile boolean isClosed;

  DarkRelay(InetSocketAddress server) throws IOException {
    this.server = server;
    this.front = open();
    this.back = open();
    thread.setDaemon(true);
    thread.start();
  }

  private DatagramChannel open() throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
    channel.configureBlocking(false).register(selector, SelectionKey.OP_READ);
    return channel;
  }

  /** Returns where the client connects to. */
  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** Drops everything to the server, or from it, from now on; or carries it again. */
  void dark(boolean out, boolean backwards) {
    isDarkOut = out;
    isDarkBack = backwards;
  }

  /** Returns the datagrams carried to the server. */
  long carriedOut() {
    return carriedOut;
  }

  /** Returns the datagrams carried back. */
  long carriedBack() {
    return carriedBack;
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(100);
        selector.selectedKeys().clear();
        carryOut();
        carryBack();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void carryOut() throws IOException {
    for (int i = 0; i < 64; i++) {
      buffer.clear();
      InetSocketAddress from = (InetSocketAddress) front.receive(buffer);
      if (from == null) {
        return;
      }
      client = from;
      if (!isDarkOut) {
        carriedOut++;
        back.send(buffer.flip(), server);
      }
    }
  }

  private void carryBack() throws IOException {
    for (int i = 0; i < 64; i++) {
      buffer.clear();
      if (back.receive(buffer) == null) {
        return;
      }
      if (!isDarkBack && client != null) {
        carriedBack++;
        front.send(buffer.flip(), client);
      }
    }
  }

  @Override
  public void close() throws Exception {
    isClosed = true;
    selector.wakeup();
    thread.join();
    front.close();
    back.close();
    selector.close();
  }
}
