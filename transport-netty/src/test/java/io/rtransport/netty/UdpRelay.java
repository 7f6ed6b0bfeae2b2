package io.rtransport.netty;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;

/**
 * Carries datagrams between one client and a server. A subclass says which of them pass, and calls
 * {@link #start} when it is ready.
 */
public abstract class UdpRelay implements AutoCloseable {
  private static final int SOCKET_BYTES = 4 << 20;
  private static final int BURST_MAX = 64;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final DatagramChannel front = open(NetUtil.LOCALHOST4);
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread = new Thread(this::run, getClass().getSimpleName());
  private DatagramChannel back = open(NetUtil.LOCALHOST4);
  private InetSocketAddress client;
  private volatile boolean isClosed;

  UdpRelay(InetSocketAddress server) throws IOException {
    this.server = server;
  }

  final void start() {
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Returns whether a datagram passes, on the thread of this relay.
   *
   * @param datagram to be read by index only
   * @param isOutbound whether it goes to the server
   */
  abstract boolean passes(ByteBuffer datagram, boolean isOutbound) throws IOException;

  private DatagramChannel open(InetAddress address) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.bind(new InetSocketAddress(address, 0)).configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    return channel;
  }

  /** Returns where the client connects to. */
  public final InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** Shows the server a new port of this address from now on; for {@link #passes} to call. */
  final void moveTo(InetAddress address) throws IOException {
    back.close();
    back = open(address);
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(100);
        selector.selectedKeys().clear();
        carry(true);
        carry(false);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closeQuietly(front);
      closeQuietly(back);
    }
  }

  private void carry(boolean isOutbound) throws IOException {
    for (int i = 0; i < BURST_MAX; i++) {
      buffer.clear();
      InetSocketAddress sender = (InetSocketAddress) (isOutbound ? front : back).receive(buffer);
      if (sender == null) {
        return;
      }
      client = isOutbound ? sender : client;
      buffer.flip();
      if (client == null || !passes(buffer, isOutbound)) {
        continue;
      }
      if (isOutbound) {
        back.send(buffer, server);
      } else {
        front.send(buffer, client);
      }
    }
  }

  private static void closeQuietly(DatagramChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It was to be closed.
    }
  }

  @Override
  public final void close() throws Exception {
    isClosed = true;
    selector.wakeup();
    thread.join();
    selector.close();
  }
}
