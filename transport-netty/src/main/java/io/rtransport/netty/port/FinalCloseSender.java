package io.rtransport.netty.port;

import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.burst.PacketBurst;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Socket in the place of one that was closed under its port, for the last packets of its
 * connections. Netty closes all sockets of an event loop at the very beginning of the loop's end.
 * Without this socket no peer would learn that its connection has ended. The socket lives for one
 * call, only sends, and loses packets that do not leave at once.
 *
 * <p>Over NIO the system keeps a closed socket's address until the selector has run once more.
 * There the packets wait until the loop has ended. Over io_uring the loop may end while the socket
 * is still open (docs/known-issues.md). Then the packets leave from another port of the same
 * address. A peer whose socket is not connected receives them (docs/reference/protocol.md 9.3: a
 * packet from another address is accepted).
 */
final class FinalCloseSender implements AutoCloseable {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(FinalCloseSender.class);

  private final EventLoop loop;
  private final InetSocketAddress local;
  private final DatagramChannel socket;
  private final List<Word> waiting = new ArrayList<>();

  private record Word(byte[] packet, InetSocketAddress to) {}

  /**
   * @param local address of the closed socket
   */
  FinalCloseSender(EventLoop loop, InetSocketAddress local) {
    this.loop = loop;
    this.local = local;
    this.socket = open(local);
  }

  /** Returns a socket bound to {@code local}; null if the address is not available. */
  private static DatagramChannel open(InetSocketAddress local) {
    DatagramChannel socket = null;
    try {
      socket = DatagramChannel.open();
      socket.configureBlocking(false);
      if (socket.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT)) {
        socket.setOption(StandardSocketOptions.SO_REUSEPORT, true); // others may share the address
      }
      return socket.bind(local);
    } catch (IOException | RuntimeException e) {
      LOGGER.debug("no last words from {}", local, e);
      close(socket);
      return null;
    }
  }

  void send(PacketBurst burst, InetSocketAddress to) {
    for (int i = 0; i < burst.count(); i++) {
      if (!burst.isDropped(i)) {
        byte[] packet = new byte[burst.length(i)];
        burst.buffer(i).get(burst.offset(i), packet);
        Word word = new Word(packet, to);
        if (socket == null) {
          waiting.add(word);
        } else {
          send(socket, word);
        }
      }
    }
  }

  private static void send(DatagramChannel socket, Word word) {
    try {
      socket.send(ByteBuffer.wrap(word.packet), word.to);
    } catch (IOException e) { // the peer's timers will find out
      LOGGER.debug("no last word to {}", word.to, e);
    }
  }

  @Override
  public void close() {
    close(socket);
    if (!waiting.isEmpty() && loop.isShuttingDown()) {
      loop.terminationFuture().addListener(ended -> sendWaiting());
    }
  }

  private void sendWaiting() {
    DatagramChannel same = open(local);
    DatagramChannel late = same != null ? same : open(new InetSocketAddress(local.getAddress(), 0));
    if (late != null) {
      waiting.forEach(word -> send(late, word));
      close(late);
    }
  }

  private static void close(DatagramChannel socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      LOGGER.debug("{} did not close", socket, e);
    }
  }
}
