package io.rtransport.simulator;

import io.rtransport.core.wire.Integrity;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Attacker off the path who forges packets. Their checksums are right, their ids are well guessed,
 * and their sources are arbitrary. The attacker has not seen a cookie, so none of the packets may
 * have an effect. It draws from its own generator, one for each direction.
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

  /** Sets the share of datagrams next to which a forged one leaves from now on; 0: none. */
  void impose(double amount) {
    share = amount;
  }

  /** Returns whether a forged datagram leaves next to the one that leaves now. */
  boolean isDue() {
    return share > 0 && random.nextDouble() < share;
  }

  /** Returns its delay after the datagram next to it, ns. */
  long laterNs() {
    return random.nextLong(1_000_000);
  }

  /**
   * Returns its source: −1 is that of the datagram next to it, others are addresses that no host
   * has.
   */
  int source() {
    return random.nextInt(4) == 0 ? random.nextInt(8) : -1;
  }

  /**
   * Makes a packet, from its first byte to the position of the buffer.
   *
   * @param receiverCid the id that its receiver has given
   * @param senderCid the id given by the side whose packet it imitates
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
