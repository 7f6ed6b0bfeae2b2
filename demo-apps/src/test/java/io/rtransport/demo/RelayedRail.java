package io.rtransport.demo;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;

/** A rail to a server that goes through this process, and can go dark. For one client. */
final class RelayedRail implements AutoCloseable {
  private static final int SOCKET_BYTES = 4 << 20;

  private final DatagramChannel front;
  private final DatagramChannel back;
  private volatile InetSocketAddress client;
  private volatile boolean isDark;
  private volatile boolean isDone;

  RelayedRail(InetSocketAddress server) throws IOException {
    front = open();
    back = open();
    back.connect(server);
    start("relay-out", this::out);
    start("relay-back", this::back);
  }

  private static DatagramChannel open() throws IOException {
    DatagramChannel channel = DatagramChannel.open();
    channel.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    return channel.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
  }

  private interface Step {
    void run(ByteBuffer datagram) throws IOException;
  }

  private static void start(String name, Step step) {
    Thread thread =
        new Thread(
            () -> {
              ByteBuffer datagram = ByteBuffer.allocate(65_536);
              try {
                while (true) {
                  step.run(datagram.clear());
                }
              } catch (ClosedChannelException e) {
                // the test is over
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private void out(ByteBuffer datagram) throws IOException {
    client = (InetSocketAddress) front.receive(datagram);
    if (!isDark) {
      back.write(datagram.flip());
    }
  }

  private void back(ByteBuffer datagram) throws IOException {
    try {
      back.read(datagram);
    } catch (SocketException e) {
      return; // the server has gone
    }
    if (!isDark) {
      front.send(datagram.flip(), client);
    }
  }

  /** Where the client sends to. */
  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** Where the server sees the client. */
  InetSocketAddress towardsServer() throws IOException {
    return (InetSocketAddress) back.getLocalAddress();
  }

  /** From now on nothing passes, or everything again. */
  void dark(boolean dark) {
    isDark = dark;
  }

  /** Ends the client's work, at its next turn. */
  void done() {
    isDone = true;
  }

  boolean isDone() {
    return isDone;
  }

  @Override
  public void close() throws IOException {
    front.close();
    back.close();
  }
}
