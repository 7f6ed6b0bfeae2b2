package io.rtransport.core.window;

/**
 * Notices that our acknowledgements do not reach the peer, by what it resends. The peer's probe and
 * timer resend a packet and ask for its acknowledgement. If such a packet has been received before
 * and comes in three further transmissions, three acknowledgements of it were lost in a row.
 *
 * <p>The peer's timer resends the two oldest packets, and its probe the newest. So the last four
 * packets that came again are known, the one that came last first. A copy that the network made has
 * the transmission sequence of the original, and does not count. Loop-confined.
 */
final class UnheardAcks {
  /** Transmissions of a received packet from which on the peer seems to hear nothing. */
  private static final int RESENDS_MIN = 3;

  private static final int KNOWN_MAX = 4;

  private final long[] packets = new long[KNOWN_MAX];
  private final int[] sequences = new int[KNOWN_MAX];
  private final int[] resends = new int[KNOWN_MAX];
  private int knownCount;
  private boolean isUnheard;

  /** Handles a packet that was received before, and that asks for its acknowledgement. */
  void onAskedAgain(boolean isOfRequests, int psn, int sequence) {
    long packet = psn & 0xFFFF_FFFFL | (isOfRequests ? 1L << Integer.SIZE : 0);
    int place = 0;
    while (place < knownCount && packets[place] != packet) {
      place++;
    }
    boolean isKnown = place < knownCount;
    if (isKnown && sequences[place] == sequence) {
      return;
    }
    int count = isKnown ? resends[place] + 1 : 1;
    if (place == KNOWN_MAX) {
      place--;
    } else if (!isKnown) {
      knownCount++;
    }
    System.arraycopy(packets, 0, packets, 1, place);
    System.arraycopy(sequences, 0, sequences, 1, place);
    System.arraycopy(resends, 0, resends, 1, place);
    packets[0] = packet;
    sequences[0] = sequence;
    resends[0] = count;
    isUnheard |= count >= RESENDS_MIN;
  }

  /** Returns whether the peer seems to hear nothing, as the last packets show. Forgets it then. */
  boolean take() {
    boolean was = isUnheard;
    isUnheard = false;
    return was;
  }
}
