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
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A translator of addresses: each source port of a client gets a port of its own towards the
 * server. The entry of a port may die. It then eats what comes from that port, what goes to it, or
 * both.
 */
final class PortEater implements AutoCloseable {
  private static final int SOCKET_BYTES = 4 << 20;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final DatagramChannel front = open(null);
  private final Map<Integer, DatagramChannel> backs = new ConcurrentHashMap<>();
  private final Set<Integer> deadThere = ConcurrentHashMap.newKeySet();
  private final Set<Integer> deadBack = ConcurrentHashMap.newKeySet();
  private final CopyOnWriteArrayList<Integer> ports = new CopyOnWriteArrayList<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread = new Thread(this::run, "port eater");
  private volatile boolean isFirstDead;
  private volatile boolean isClosed;

  PortEater(InetSocketAddress server) throws IOException {
    this.server = server;
    thread.setDaemon(true);
    thread.start();
  }

  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** Lets the entry of the first port that comes be dead from the beginning. */
  void firstIsDead() {
    isFirstDead = true;
  }

  /** Lets the entry of a port die. */
  void dies(int port, boolean isThere, boolean isBack) {
    if (isThere) {
      deadThere.add(port);
    }
    if (isBack) {
      deadBack.add(port);
    }
  }

  /** Lets all entries work again. */
  void revive() {
    deadThere.clear();
    deadBack.clear();
  }

  /** Returns the source ports that were seen, in their order. */
  List<Integer> ports() {
    return ports;
  }

  private DatagramChannel open(InetSocketAddress client) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.bind(new InetSocketAddress(NetUtil.LOCALHOST4, 0)).configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, client);
    return channel;
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(100);
        Set<SelectionKey> keys = Set.copyOf(selector.selectedKeys());
        selector.selectedKeys().clear();
        for (SelectionKey key : keys) {
          carry((DatagramChannel) key.channel(), (InetSocketAddress) key.attachment());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void carry(DatagramChannel from, InetSocketAddress client) throws IOException {
    while (true) {
      buffer.clear();
      InetSocketAddress sender = (InetSocketAddress) from.receive(buffer);
      if (sender == null) {
        return;
      }
      buffer.flip();
      if (client != null) {
        if (!deadBack.contains(client.getPort())) {
          front.send(buffer, client);
        }
        continue;
      }
      int port = sender.getPort();
      DatagramChannel back = backs.get(port);
      if (back == null) {
        if (isFirstDead && ports.isEmpty()) {
          dies(port, true, true);
        }
        ports.add(port);
        back = open(sender);
        backs.put(port, back);
      }
      if (!deadThere.contains(port)) {
        back.send(buffer, server);
      }
    }
  }

  @Override
  public void close() throws Exception {
    isClosed = true;
    selector.wakeup();
    thread.join();
    front.close();
    for (DatagramChannel back : backs.values()) {
      back.close();
    }
    selector.close();
  }
}
