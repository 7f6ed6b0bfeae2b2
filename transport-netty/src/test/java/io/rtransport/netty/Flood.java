package io.rtransport.netty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * Sends hostile datagrams of several kinds, mixed, to a server on loopback, so many a second, from
 * a few sockets, on a thread of its own.
 */
final class Flood implements AutoCloseable {
  private static final int SOCKETS = 16;
  private static final int CONNECT_LENGTH = 512;
  private static final int OVERSIZED_LENGTH = 9_000;
  private static final int KINDS = 8;
  private static final int PERIOD_MICROS = 200;

  private final SplittableRandom random = new SplittableRandom(1);
  private final ByteBuffer packet = ByteBuffer.allocateDirect(OVERSIZED_LENGTH);
  private final AtomicLong sent = new AtomicLong();
  private final InetSocketAddress target;
  private final int perSecond;
  private final DatagramChannel[] sockets = new DatagramChannel[SOCKETS];
  private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
  private final long startNs = System.nanoTime();
  private final Future<?> flow;

  Flood(InetSocketAddress target, int perSecond) throws IOException {
    this.target = target;
    this.perSecond = perSecond;
    for (int i = 0; i < SOCKETS; i++) {
      sockets[i] = DatagramChannel.open().setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
    }
    flow = clock.scheduleAtFixedRate(this::sendWhatIsDue, 0, PERIOD_MICROS, TimeUnit.MICROSECONDS);
  }

  /** Datagrams that have left so far. */
  long sent() {
    return sent.get();
  }

  private void sendWhatIsDue() {
    long due = (System.nanoTime() - startNs) * perSecond / TimeUnit.SECONDS.toNanos(1);
    try {
      for (long n = sent.get(); n < due; n = sent.incrementAndGet()) {
        make((int) (n % KINDS));
        sockets[(int) (n % SOCKETS)].send(packet.flip(), target);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the flood ran dry after " + sent, e);
    }
  }

  private static void closeQuietly(DatagramChannel socket) {
    try {
      if (socket != null) {
        socket.close();
      }
    } catch (IOException e) {
      // It is being thrown away.
    }
  }

  private void make(int kind) {
    packet.clear();
    switch (kind) {
      case 0 -> connect(1, random.nextLong());
      case 1 -> connect(1, 77); // the same again and again
      case 2 -> connect(2, random.nextLong());
      case 3 -> {
        clear(1, 2, 0x0000_0101 + (random.nextInt(64) << 8), random.nextLong()); // DATA, guessed
        packet.putLong(0).putLong(0).putLong(0);
        seal();
      }
      case 4 -> {
        clear(1, 14, 0, 0); // RESET
        packet.putInt(random.nextInt()).putLong(random.nextLong());
        seal();
      }
      case 5 -> {
        for (int i = random.nextInt(170); i >= 0; i--) {
          packet.putLong(random.nextLong());
        }
      }
      case 6 -> packet.position(OVERSIZED_LENGTH);
      default -> {
        // an empty datagram
      }
    }
  }

  private void connect(int version, long nonce) {
    clear(version, 3, 0, 0);
    packet.putLong(nonce).putLong(5).putInt(1 + (int) (nonce & 0xFFFF)).putShort((short) 0);
    packet.putShort((short) 32).putLong(6);
    for (int id = 18; id <= 21; id++) {
      packet.putShort((short) id).putShort((short) 4).putInt(7);
    }
    while (packet.position() < CONNECT_LENGTH - 4) {
      packet.putInt(0);
    }
    seal();
  }

  private void clear(int version, int type, int cid, long cookie) {
    packet.put((byte) version).put((byte) type).putShort((short) 0).putInt(cid).putLong(cookie);
  }

  private void seal() {
    int end = packet.position();
    packet.putShort(2, (short) (end + 4));
    CRC32C crc = new CRC32C();
    crc.update(packet.duplicate().flip());
    packet.putInt((int) crc.getValue());
  }

  @Override
  public void close() throws Exception {
    boolean hasRunDry = flow.isDone();
    clock.shutdownNow();
    boolean isOver = clock.awaitTermination(20, TimeUnit.SECONDS);
    for (DatagramChannel socket : sockets) {
      closeQuietly(socket);
    }
    if (hasRunDry || !isOver) {
      throw new IllegalStateException("the flood ran dry after " + sent + " datagrams");
    }
  }
}
