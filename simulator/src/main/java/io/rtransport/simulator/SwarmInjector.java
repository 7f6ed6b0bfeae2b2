package io.rtransport.simulator;

import io.rtransport.core.wire.Integrity;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Somebody off the path who makes packets up: their checksums are right, their ids guessed well,
 * their source is what he likes, and he has not seen a cookie. Nothing that he sends may do
 * anything. Draws from a generator of its own, one a way.
 */
final class SwarmInjector {
  private static final int TYPES = 5;
  private static final int LENGTH_MAX = 64;

  private final RandomGenerator random;
  private final ByteBuffer packet = ByteBuffer.allocate(LENGTH_MAX);
  private final Integrity integrity = new Integrity();
  private double share;

  SwarmInjector(RandomGenerator random) {
    this.random = random;
  }

  /** Beside {@code amount} of the datagrams a forged one leaves from now on; 0: none. */
  void impose(double amount) {
    share = amount;
  }

  /** Whether one leaves beside the datagram that leaves now. */
  boolean isDue() {
    return share > 0 && random.nextDouble() < share;
  }

  /** How long after the datagram beside it, ns. */
  long laterNs() {
    return random.nextLong(1_000_000);
  }

  /**
   * The source that it names: −1 is that of the datagram beside it, others are addresses at which
   * nobody is.
   */
  int source() {
    return random.nextInt(4) == 0 ? random.nextInt(8) : -1;
  }

  /**
   * A packet, from its first byte to the position of the buffer.
   *
   * @param receiverCid the id that its receiver has given
   * @param senderCid the id that the one has given for whom it is to be taken
   */
  ByteBuffer make(int receiverCid, int senderCid) {
    packet.clear();
    switch (random.nextInt(TYPES)) {
      case 0 -> {
        clear(WireView.RESET, 0, 0);
        packet.putInt(senderCid).putLong(random.nextLong());
      }
      case 1 -> {
        clear(WireView.DATA, receiverCid, random.nextLong());
        packet.putInt(random.nextInt()).putLong(random.nextLong()).putInt(random.nextInt());
        packet.putInt(0);
      }
      case 2 -> {
        clear(WireView.ACK, receiverCid, random.nextLong());
        packet.putLong(random.nextLong()).putLong(0).putLong(random.nextLong()); // no bitmap
      }
      case 3 -> {
        clear(WireView.CLOSE, receiverCid, random.nextLong());
        packet.putInt(0).putInt(random.nextInt()).putInt(random.nextInt()).putInt(0);
      }
      default -> {
        clear(WireView.PING, receiverCid, random.nextLong());
        packet.putInt(random.nextInt()).putInt(0);
      }
    }
    int length = packet.position() + Integrity.TRAILER_LENGTH;
    packet.putShort(2, (short) length);
    integrity.seal(packet, 0, length);
    return packet.position(length);
  }

  private void clear(int type, int cid, long cookie) {
    packet.put((byte) 1).put((byte) type).putShort((short) 0).putInt(cid).putLong(cookie);
  }
}
