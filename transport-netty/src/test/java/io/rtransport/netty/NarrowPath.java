package io.rtransport.netty;

import io.netty.util.NetUtil;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Carries datagrams between one client and a server, and drops without a word those that are too
 * long: a black hole.
 */
final class NarrowPath implements AutoCloseable {
  private static final int SOCKET_BYTES = 4 << 20;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final DatagramChannel front = open();
  private final DatagramChannel back = open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread = new Thread(this::run, "narrow-path");
  private final AtomicLong dropped = new AtomicLong();
  private volatile int bytesMax;
  private volatile boolean isClosed;
  private InetSocketAddress client;

  NarrowPath(InetSocketAddress server, int bytesMax) throws IOException {
    this.server = server;
    this.bytesMax = bytesMax;
    thread.setDaemon(true);
    thread.start();
  }

  private DatagramChannel open() throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.bind(new InetSocketAddress(NetUtil.LOCALHOST4, 0)).configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    return channel;
  }

  /** Where the client connects to. */
  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** From now on datagrams of more than so many bytes vanish, both ways. */
  void bytesMax(int bytes) {
    bytesMax = bytes;
  }

  /** Datagrams that vanished. */
  long dropped() {
    return dropped.get();
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(100);
        selector.selectedKeys().clear();
        carry(front, back, true);
        carry(back, front, false);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void carry(DatagramChannel from, DatagramChannel to, boolean isOutbound)
      throws IOException {
    for (int i = 0; i < 64; i++) {
      buffer.clear();
      InetSocketAddress sender = (InetSocketAddress) from.receive(buffer);
      if (sender == null) {
        return;
      }
      client = isOutbound ? sender : client;
      buffer.flip();
      if (buffer.remaining() > bytesMax) {
        dropped.incrementAndGet();
      } else {
        to.send(buffer, isOutbound ? server : client);
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
