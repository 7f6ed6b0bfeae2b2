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

/**
 * Carries datagrams between one client and a server, and shows the server another source port every
 * second, or sooner every so many bytes, and once another address: what a translator of addresses
 * does that forgets. What comes to an old port is lost.
 */
final class Relay implements AutoCloseable {
  private static final long PERIOD_NS = 1_000_000_000L;
  private static final int SOCKET_BYTES = 4 << 20;
  private static final int PATH_CHALLENGE = 10;
  private static final int PATH_RESPONSE = 11;

  private final InetSocketAddress server;
  private final long changeBytes;
  private final int hostChange;
  private final Selector selector = Selector.open();
  private final DatagramChannel front;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread = new Thread(this::run, "relay");
  private DatagramChannel back;
  private InetSocketAddress client;
  private long changedNs = System.nanoTime();
  private long carriedBytes;
  private long unvalidatedIn;
  private long unvalidatedOut;
  private boolean isValidated = true; // the first port is the handshake's
  private volatile int changes;
  private volatile String violation = "";
  private volatile boolean isClosed;

  /**
   * @param hostChange at which change the address becomes another too
   */
  Relay(InetSocketAddress server, long changeBytes, int hostChange) throws IOException {
    this.server = server;
    this.changeBytes = changeBytes;
    this.hostChange = hostChange;
    this.front = open(InetAddress.getByName("127.0.0.1"));
    this.back = open(InetAddress.getByName("127.0.0.1"));
    thread.setDaemon(true);
    thread.start();
  }

  private DatagramChannel open(InetAddress address) throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    channel.bind(new InetSocketAddress(address, 0)).configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    return channel;
  }

  /** Where the client connects to. */
  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  int changes() {
    return changes;
  }

  /**
   * What the server sent to a port that had not been validated, if it was more than it may; else
   * empty.
   */
  String violation() {
    return violation;
  }

  private void run() {
    try {
      while (!isClosed) {
        selector.select(100);
        selector.selectedKeys().clear();
        carryToServer();
        carryToClient();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      closeQuietly(front);
      closeQuietly(back);
    }
  }

  private void carryToServer() throws IOException {
    for (int i = 0; i < 64; i++) {
      buffer.clear();
      InetSocketAddress from = (InetSocketAddress) front.receive(buffer);
      if (from == null) {
        return;
      }
      client = from;
      buffer.flip();
      carriedBytes += buffer.remaining();
      long nowNs = System.nanoTime();
      if (nowNs - changedNs >= PERIOD_NS || carriedBytes >= changeBytes) {
        change(nowNs);
      }
      unvalidatedIn += buffer.remaining();
      isValidated |= buffer.get(1) == PATH_RESPONSE;
      back.send(buffer, server);
    }
  }

  private void change(long nowNs) throws IOException {
    changedNs = nowNs;
    carriedBytes = 0;
    unvalidatedIn = 0;
    unvalidatedOut = 0;
    isValidated = false;
    back.close();
    int next = changes + 1;
    back = open(InetAddress.getByName(next < hostChange ? "127.0.0.1" : "127.0.0.2"));
    changes = next;
  }

  private void carryToClient() throws IOException {
    for (int i = 0; i < 64; i++) {
      buffer.clear();
      if (back.receive(buffer) == null) {
        return;
      }
      buffer.flip();
      if (!isValidated) {
        unvalidatedOut += buffer.remaining();
        if (buffer.get(1) != PATH_CHALLENGE || unvalidatedOut > 3 * unvalidatedIn) {
          violation =
              "type " + buffer.get(1) + ", " + unvalidatedOut + " bytes for " + unvalidatedIn;
        }
      }
      front.send(buffer, client);
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
  public void close() throws Exception {
    isClosed = true;
    selector.wakeup();
    thread.join();
    selector.close();
  }
}
