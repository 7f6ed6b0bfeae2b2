package io.rtransport.loadgen.proof;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A way to a target that remembers what one client sent, and can send all of it once more, from the
 * address that the target knows.
 */
final class RecordingRelay implements AutoCloseable {
  private static final int DATAGRAMS_MAX = 20_000;
  private static final int DATAGRAM_BYTES_MAX = 65_535;

  private final DatagramChannel front = open();
  private final DatagramChannel back = open();
  private final InetSocketAddress target;
  private final List<ByteBuffer> recorded = new ArrayList<>();
  private volatile SocketAddress client;

  RecordingRelay(InetSocketAddress target) throws IOException {
    this.target = target;
    thread("rt-relay-out", this::carryOut);
    thread("rt-relay-in", this::carryIn);
  }

  private static DatagramChannel open() throws IOException {
    return DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  private interface Carrying {
    void run() throws IOException;
  }

  private static void thread(String name, Carrying carrying) {
    Thread thread =
        new Thread(
            () -> {
              try {
                carrying.run();
              } catch (ClosedChannelException e) {
                return; // closed
              } catch (IOException e) {
                throw new AssertionError(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
  }

  private void carryOut() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(DATAGRAM_BYTES_MAX);
    while (true) {
      client = front.receive(buffer.clear());
      buffer.flip();
      synchronized (recorded) {
        if (recorded.size() < DATAGRAMS_MAX) {
          ByteBuffer copy = ByteBuffer.allocate(buffer.remaining()).put(buffer.duplicate()).flip();
          recorded.add(copy);
        }
      }
      back.send(buffer, target);
    }
  }

  private void carryIn() throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(DATAGRAM_BYTES_MAX);
    while (true) {
      back.receive(buffer.clear());
      front.send(buffer.flip(), client);
    }
  }

  /** For the client to connect to. */
  InetSocketAddress address() throws IOException {
    return (InetSocketAddress) front.getLocalAddress();
  }

  /** Sends everything again; how many datagrams that were. */
  int replay() throws IOException {
    synchronized (recorded) {
      for (ByteBuffer datagram : recorded) {
        back.send(datagram.duplicate(), target);
      }
      return recorded.size();
    }
  }

  @Override
  public void close() throws IOException {
    front.close();
    back.close();
  }
}
