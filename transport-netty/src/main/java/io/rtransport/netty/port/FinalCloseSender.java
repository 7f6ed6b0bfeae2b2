package io.rtransport.netty.port;

import io.netty.channel.EventLoop;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.wire.PacketBurst;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A socket in the place of one that was closed under its port: Netty closes all sockets of an event
 * loop that ends, first thing, so without it no peer would hear that its connection has ended. It
 * lives for one call, sends only, and loses what does not leave at once.
 *
 * <p>Over NIO the system keeps a closed socket's address until the selector has looked at it once
 * more: there the words wait until the loop is gone. Over io_uring the loop may end with the socket
 * still open (docs/known-issues.md): then they leave from another port of the same address, which a
 * peer hears whose socket is not connected (docs/reference/protocol.md 9.3: what a packet from
 * elsewhere says is taken).
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
   * @param local the closed socket's address
   */
  FinalCloseSender(EventLoop loop, InetSocketAddress local) {
    this.loop = loop;
    this.local = local;
    this.socket = open(local);
  }

  /** Null if the address can not be had. */
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
    } catch (IOException e) { // the peer's timers will tell it
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
