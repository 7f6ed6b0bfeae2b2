package io.rtransport.core.window;

/**
 * Transmissions of one path in sending order. It maps a transmission sequence to the send time, the
 * slot and the state. The sequence has 32 bits here and 24 bits on the wire. The ring begins small
 * and doubles up to a bound that the windows give. Beyond the bound the oldest entry is dropped,
 * and its packet is left to the timers.
 */
final class TransmissionRing {
  /** Entries at the start: the smallest window. */
  static final int CAPACITY_MIN = 64;

  private static final byte LIVE = 1;
  private static final byte ACKNOWLEDGED = 2;
  private static final byte DEAD = 3;

  private final int capacityMax;
  private long[] sentNs = new long[CAPACITY_MIN];
  private int[] slots = new int[CAPACITY_MIN];
  private byte[] states = new byte[CAPACITY_MIN];
  private int mask = CAPACITY_MIN - 1;
  private int oldest;
  private int tail;
  private int head;
  private int highestAcknowledged;
  private int acknowledgedFromTail;

  /**
   * Creates an empty ring.
   *
   * @param firstSequence the sequence of the first packet
   * @param capacityMax a power of two, at least {@link #CAPACITY_MIN}
   */
  TransmissionRing(int firstSequence, int capacityMax) {
    this.capacityMax = capacityMax;
    oldest = firstSequence;
    tail = firstSequence;
    head = firstSequence;
    highestAcknowledged = firstSequence - 1;
  }

  /** Returns the sequence of the next packet. */
  int head() {
    return head;
  }

  /** Returns the oldest sequence that may still be undecided; {@link #head} if there is none. */
  int tail() {
    return tail;
  }

  /** Returns the highest sequence known to have arrived. */
  int highestAcknowledged() {
    return highestAcknowledged;
  }

  /** Returns the number of sequences known to have arrived, from {@link #tail} on. */
  int acknowledgedFromTail() {
    return acknowledgedFromTail;
  }

  /** Returns whether an undecided transmission was sent before one that arrived. */
  boolean hasUndecidedBelowHighest() {
    return highestAcknowledged - tail > 0;
  }

  /** Adds a transmission. Returns its sequence. */
  int add(int slot, long nowNs) {
    if (head - oldest == slots.length) {
      trim();
      if (head - tail == slots.length && slots.length < capacityMax) {
        grow();
      } else {
        dropOldest();
      }
    }
    int index = head & mask;
    sentNs[index] = nowNs;
    slots[index] = slot;
    states[index] = LIVE;
    return head++;
  }

  private void dropOldest() {
    if (tail == oldest) {
      states[tail & mask] = DEAD;
      trim();
    }
    oldest++;
  }

  private void grow() {
    int length = slots.length << 1;
    long[] newSentNs = new long[length];
    int[] newSlots = new int[length];
    byte[] newStates = new byte[length];
    for (int sequence = oldest; sequence != head; sequence++) {
      int to = sequence & (length - 1);
      int from = sequence & mask;
      newSentNs[to] = sentNs[from];
      newSlots[to] = slots[from];
      newStates[to] = states[from];
    }
    sentNs = newSentNs;
    slots = newSlots;
    states = newStates;
    mask = length - 1;
  }

  /** Returns whether the send time of a sequence is still known. */
  boolean isKept(int sequence) {
    return sequence - oldest >= 0 && head - sequence > 0;
  }

  /**
   * Returns the 32-bit sequence for a 24-bit one from the wire: the last one below {@link #head}.
   * It may not be kept ({@link #isKept}).
   */
  int expand(int wireSequence) {
    return head - 1 - ((head - 1 - wireSequence) & 0xFF_FFFF);
  }

  boolean isLive(int sequence) {
    return isKept(sequence) && states[sequence & mask] == LIVE;
  }

  boolean isAcknowledged(int sequence) {
    return isKept(sequence) && states[sequence & mask] == ACKNOWLEDGED;
  }

  long sentNs(int sequence) {
    return sentNs[sequence & mask];
  }

  int slot(int sequence) {
    return slots[sequence & mask];
  }

  /** Records that this transmission arrived. */
  void acknowledge(int sequence) {
    if (!isLive(sequence)) {
      return;
    }
    states[sequence & mask] = ACKNOWLEDGED;
    acknowledgedFromTail++;
    if (sequence - highestAcknowledged > 0) {
      highestAcknowledged = sequence;
    }
  }

  /** Marks this transmission as decided or obsolete. It tells nothing about other transmissions. */
  void kill(int sequence) {
    if (isLive(sequence)) {
      states[sequence & mask] = DEAD;
    }
  }

  /** Moves the tail over decided transmissions. */
  void trim() {
    while (tail != head && states[tail & mask] != LIVE) {
      if (states[tail & mask] == ACKNOWLEDGED) {
        acknowledgedFromTail--;
      }
      tail++;
    }
  }

  /** Returns the slot of the newest undecided sequence, or NONE. */
  int newestSlot() {
    for (int sequence = head; sequence != tail; sequence--) {
      if (isLive(sequence - 1)) {
        return slot(sequence - 1);
      }
    }
    return RetransmissionEngine.NONE;
  }
}
