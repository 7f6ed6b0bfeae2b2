package io.rtransport.simulator;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Check of one sender's transmissions. It reads the sender's knowledge from the datagrams that
 * reached it, by the rules of docs/reference/protocol.md 11. It checks how many packets may be
 * outstanding, when a packet may be sent again, and when it must be.
 */
final class ResendWatch {
  /** Rounding of an ack's time to microseconds on the wire, ns. */
  private static final long ROUNDING_NS = 10_000;

  /**
   * Resends of one packet in silence. The timer doubles from a tenth of a millisecond to one
   * second. After that, a resend follows each second.
   */
  private static final int SILENT_RESENDS = 20;

  private static final long SILENT_RESEND_NS = 900_000_000;

  /**
   * Longest time without a transmission while something is unacknowledged, in addition to 16 × the
   * longest round trip: the timer's cap, twice.
   */
  private static final long QUIET_NS = 2_500_000_000L;

  private final String name;
  private final int[] windowPackets;
  private final long roundTripNsMin;
  private final BitSet[] acknowledged = {new BitSet(), new BitSet()};
  private final int[] bases = new int[2];
  private final int[] sent = new int[2];
  private final long[][] lastSentNs = {new long[256], new long[256]};
  private long nowNs;
  private long roundTripNsMax;
  private long pausedNs;
  private long transmittedNs;
  private long transmittedBeforeNs;
  private int transmittedBytes;
  private int transmittedBeforeBytes;
  private long progressNs;
  private long heardNs;

  // Lowest unacknowledged packet of each window, and how often it was sent since anything was
  // heard.
  private final int[] silentIndexes = {-1, -1};
  private final int[] silentResends = new int[2];

  /**
   * Creates the check of one sender.
   *
   * @param name of the sender, for messages
   * @param windowPackets its peer's receive windows
   * @param roundTripNsMin no answer comes sooner
   */
  ResendWatch(String name, int[] windowPackets, long roundTripNsMin) {
    this.name = name;
    this.windowPackets = windowPackets;
    this.roundTripNsMin = roundTripNsMin;
  }

  /** Sets the time, before each turn. */
  void now(long virtualNs) {
    nowNs = virtualNs;
  }

  /** Starts the check: the connection is established, and silence counts from now. */
  void begin(long virtualNs) {
    nowNs = virtualNs;
    transmittedNs = virtualNs;
    progressNs = virtualNs;
    heardNs = virtualNs;
  }

  /**
   * Sets how long the sender's host has been paused so far. Everything may be late by that time.
   */
  void onPaused(long ns) {
    pausedNs = ns;
  }

  long pausedNs() {
    return pausedNs;
  }

  /** Records a round trip of datagrams. Answers may take as long. */
  void onRoundTrip(long ns) {
    roundTripNsMax = Math.max(roundTripNsMax, ns);
  }

  /** Records that the sender's packet {@code index} of {@code window} leaves. */
  void onSent(int window, long index, int length, boolean isAckRequested, long virtualNs) {
    int at = (int) index;
    if (virtualNs != transmittedNs) {
      transmittedBeforeBytes = transmittedBytes;
      transmittedBytes = 0;
    }
    transmittedBytes += length;
    transmittedBeforeNs = transmittedNs;
    transmittedNs = virtualNs;
    if (at >= sent[window]) {
      if (!(at < bases[window] + windowPackets[window])) {
        throw InvariantViolation.of(
            Invariant.WINDOW,
            "%s sends packet %d of window %d; it knows of all below %d, the window takes %d",
            name,
            at,
            window,
            bases[window],
            windowPackets[window]);
      }
      sent[window] = at + 1;
      if (at >= lastSentNs[window].length) {
        lastSentNs[window] = Arrays.copyOf(lastSentNs[window], 2 * at);
      }
    } else {
      onResent(window, at, isAckRequested, virtualNs);
    }
    lastSentNs[window][at] = virtualNs;
  }

  private void onResent(int window, int at, boolean isAckRequested, long virtualNs) {
    long sinceNs = virtualNs - lastSentNs[window][at];
    // The timer also resends the packet after the oldest, which a probe may just have resent.
    boolean isSecondOfTimer = isAckRequested && sent[0] - bases[0] + sent[1] - bases[1] > 1;
    if (!(isSecondOfTimer || sinceNs >= roundTripNsMin - ROUNDING_NS)) {
      throw InvariantViolation.of(
          Invariant.RESEND_TIMES,
          "%s resends packet %d of window %d after %,d ns; an answer takes %,d",
          name,
          at,
          window,
          sinceNs,
          roundTripNsMin);
    }
    if (at != bases[window]) {
      return;
    }
    if (silentIndexes[window] != at) {
      silentIndexes[window] = at;
      silentResends[window] = 0;
    }
    silentResends[window]++;
    long most = SILENT_RESENDS + (virtualNs - heardNs) / SILENT_RESEND_NS;
    if (!(silentResends[window] <= most)) {
      throw InvariantViolation.of(
          Invariant.RESEND_TIMES,
          "%s resends packet %d of window %d %d times within %,d ns of silence",
          name,
          at,
          window,
          silentResends[window],
          virtualNs - heardNs);
    }
  }

  /** Returns when the packet before the last one left, in either window. */
  long sentBeforeNs() {
    return transmittedBeforeNs;
  }

  /** Returns the bytes that left at the moment before this one. */
  int sentBeforeBytes() {
    return transmittedBeforeBytes;
  }

  /** Reads an undamaged datagram of the peer; {@code own} knows this sender's numbers. */
  void onHeard(SenderView own, WireView view) {
    heardNs = nowNs;
    silentIndexes[0] = -1;
    silentIndexes[1] = -1;
    if (view.isNumbered()) {
      // The bases of the header come first, then the block, each as a body.
      onBase(0, own.index(0, view.requestAckBase()));
      onBase(1, own.index(1, view.dataAckBase()));
    }
    int at = view.ackBody();
    if (at >= 0) {
      int requestWords = view.u8(at + 9);
      onBody(own, 0, view, view.i32(at), view.u16(at + 12), at + 24, requestWords);
      int dataAt = at + 24 + 8 * requestWords;
      onBody(own, 1, view, view.i32(at + 4), view.u16(at + 14), dataAt, view.u8(at + 10));
    }
  }

  private void onBody(
      SenderView own, int window, WireView view, int base, int offset, int at, int words) {
    int index = (int) own.index(window, base);
    if (index < bases[window]) {
      return; // stale
    }
    onBase(window, index);
    int first = (base & ~63) + 64 * offset;
    for (int k = 0; k < words; k++) {
      long word = view.i64(at + 8 * k);
      for (long left = word; left != 0; left &= left - 1) {
        int psn = first + 64 * k + Long.numberOfTrailingZeros(left);
        if (psn - base >= 0) {
          set(window, (int) own.index(window, psn));
        }
      }
    }
    bases[window] = acknowledged[window].nextClearBit(bases[window]);
  }

  private void onBase(int window, long index) {
    for (int i = bases[window]; i < index; i++) {
      set(window, i);
    }
    if (index > bases[window]) {
      bases[window] = acknowledged[window].nextClearBit((int) index);
    }
  }

  private void set(int window, int index) {
    if (!acknowledged[window].get(index)) {
      acknowledged[window].set(index);
      progressNs = nowNs;
    }
  }

  private boolean hasUnacknowledged() {
    return bases[0] < sent[0] || bases[1] < sent[1];
  }

  /** Checks that transmissions go on while something is unacknowledged. */
  void checkNotForgotten(long virtualNs) {
    long quietNs = virtualNs - Math.max(transmittedNs, progressNs);
    if (!(!hasUnacknowledged() || quietNs <= QUIET_NS + 16 * roundTripNsMax + pausedNs)) {
      throw InvariantViolation.of(
          Invariant.RESEND_TIMES,
          "%s has sent nothing for %,d ns, with packets %d of %d and %d of %d unacknowledged",
          name,
          quietNs,
          bases[0],
          sent[0],
          bases[1],
          sent[1]);
    }
  }

  /** Returns when a packet of this sender was last acknowledged for the first time. */
  long progressNs() {
    return progressNs;
  }

  /** Returns when the sender last heard of its peer. */
  long heardNs() {
    return heardNs;
  }
}
