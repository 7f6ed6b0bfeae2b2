package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.Integrity;

/**
 * Decides how long a datagram may be on one path, by the method of RFC 8899 (DPLPMTUD): only a
 * padded PING that was answered proves that a length passes, and only losses show that it does not.
 * What the network says of itself, by ICMP or otherwise, proves nothing.
 *
 * <pre>
 *   BASE ──packets are full──▶ SEARCHING ──nothing left to try──▶ COMPLETE
 *                               ▲   ▲ │                              │
 *                   a probe     │   │ └──── losses: a black hole ────┤
 *                   was answered│   └──── {@link #RAISE_NS} later ────────┤
 *                              ERROR ◀── a black hole below 1,200 ───┘
 * </pre>
 *
 * <p><b>Up.</b> The length that was agreed at set-up is taken to pass. Once {@link #FULL_PACKETS}
 * packets were filled, longer ones are tried, one probe at a time: the lengths that links have, in
 * order, then between what passed and what did not until that is an eighth. A length does not pass
 * when {@link #TRIES} probes of it went unanswered while something else was acknowledged; an outage
 * proves nothing. Each probe has a random id, so only who has received one can answer it. Probes
 * are no part of what is in flight, their losses no congestion.
 *
 * <p><b>Down.</b> {@link #LOSSES_MAX} long packets lost in a row, none of those sent since having
 * arrived, while shorter ones do: a black hole. The length falls to 1,200 bytes, which nearly every
 * path carries; from there or below to the floor, which holds the longest record. Where nothing
 * arrives at all, the packets that the timer resends are made short ({@link #isTooLong}), which
 * tells an outage from a black hole.
 *
 * <p>Timer: the probe's. The timer to raise is looked at when a packet is filled, so a silent
 * connection has none. Loop-confined.
 */
public final class PathMtuSearch {
  /** States of the search. */
  public enum State {
    /** Not begun: what was agreed is taken to pass. */
    BASE,
    /** Longer datagrams are tried. */
    SEARCHING,
    /** The longest was found, for now. */
    COMPLETE,
    /** Not even the usual minimum passes: the floor is used, and longer ones are tried. */
    ERROR
  }

  /**
   * Probes of one length that go unanswered before it counts as too long (RFC 8899, MAX_PROBES).
   */
  static final int TRIES = 3;

  /** Long packets lost in a row that make a black hole. */
  static final int LOSSES_MAX = 3;

  /** Classes of lengths. A packet that passes in one acquits the shorter classes. */
  private static final int CLASSES = 3;

  /**
   * Packets filled to the length before longer ones are looked for: who sends little needs none.
   */
  static final int FULL_PACKETS = 8;

  /** A search that is over begins again after this (RFC 8899, PMTU_RAISE_TIMER). */
  static final long RAISE_NS = 600_000_000_000L;

  /** UDP payload that is used if the agreed length does not pass (RFC 8899, BASE_PLPMTU). */
  static final int BASE_BYTES = 1_200;

  /**
   * A probe is given up no sooner: its answer takes no part in what the round trip was measured by.
   */
  static final long PROBE_NS_MIN = 20_000_000;

  static final long PROBE_NS_UNSAMPLED = 1_000_000_000;

  private static final int SEQUENCES_REMEMBERED = 1 << 24;

  /**
   * Lengths of links less the headers of IPv4 or IPv6 and UDP: 1,232 and 1,372 of tunnels, 1,500
   * less 48 and 28, jumbo frames, loopback.
   */
  private static final int[] LENGTHS = {
    1_200, 1_232, 1_372, 1_408, 1_452, 1_472, 4_052, 8_192, 8_952, 8_972, 16_384, 32_768, 65_488,
    65_507
  };

  private static final int TAIL =
      Integrity.TRAILER_LENGTH_MAX - Integrity.TRAILER_LENGTH; // held back, and not sent

  private final int agreedBytes;
  private final int floorBytes;
  private final int maxBytes;
  private final boolean isFixed;

  private State state = State.BASE;
  private int bytes;
  private int passesNoMoreBytes;
  private int fullCount;
  private long raiseNs;

  // The probe that is out: its length, its tries and their ids.
  private int probeBytes;
  private int tries;
  private final int[] ids;
  private int idCount;
  private int guesses;
  private long sentNs;
  private long deadlineNs = Long.MAX_VALUE;

  // One for each class: packets of about the longest length, others longer than the usual minimum,
  // and those above the floor.
  private final int[] losses;
  private final boolean[] hasArrived;
  private final int[] arrivedSequences;
  private boolean hasExpired;
  private int sequenceAfterExpiry;
  private int holeBytes;
  private long holeNs;

  private PathMtuSearch(int agreedBytes, int floorBytes, int maxBytes, boolean isFixed) {
    this.agreedBytes = agreedBytes;
    this.floorBytes = floorBytes;
    this.maxBytes = maxBytes;
    this.isFixed = isFixed;
    bytes = agreedBytes;
    passesNoMoreBytes = maxBytes + 1;
    ids = isFixed ? null : new int[TRIES];
    losses = isFixed ? null : new int[CLASSES];
    hasArrived = isFixed ? null : new boolean[CLASSES];
    arrivedSequences = isFixed ? null : new int[CLASSES];
  }

  /** Returns a search that is over: the length stays as it was agreed. */
  public static PathMtuSearch fixed(int agreedBytes) {
    return new PathMtuSearch(agreedBytes, agreedBytes, agreedBytes, true);
  }

  /**
   * Returns a search that begins.
   *
   * @param agreedBytes UDP payload that is taken to pass
   * @param headerLengthMax the longest application header that a record may have to carry
   * @param maxBytes limit of what this side sends and the peer takes
   */
  public static PathMtuSearch search(int agreedBytes, int headerLengthMax, int maxBytes) {
    return new PathMtuSearch(
        agreedBytes,
        floorBytes(agreedBytes, headerLengthMax),
        Math.max(agreedBytes, Math.min(maxBytes, Limits.PACKET_LENGTH_MAX)),
        false);
  }

  /** Returns the UDP payload that the longest record fits into: no packet need be shorter. */
  public static int floorBytes(int agreedBytes, int headerLengthMax) {
    return Math.min(agreedBytes, Math.max(Limits.DATAGRAM_LENGTH_MIN, headerLengthMax + 128));
  }

  public State state() {
    return state;
  }

  /** Returns the UDP payload of the longest datagram that is taken to pass. */
  public int bytes() {
    return bytes;
  }

  /** Bytes of the longest numbered packet. */
  int packetLengthMax() {
    return bytes - TAIL;
  }

  /** Bytes of a numbered packet that is never made shorter. */
  int packetLengthLeast() {
    return floorBytes - TAIL;
  }

  // ---- what is sent

  /** Notes that a new packet was built. */
  void onBuilt(int length, long nowNs) {
    if (isFixed || length < bytes - (bytes >> 3) - TAIL) {
      return;
    }
    fullCount++;
    if (state == State.COMPLETE && bytes < maxBytes && nowNs >= raiseNs) {
      passesNoMoreBytes = maxBytes + 1;
      state = State.SEARCHING;
    }
  }

  /**
   * Returns whether a packet of {@code length} must be made shorter before it is sent again, to
   * {@link #lengthFor}.
   *
   * @param expiriesInRow where a timer's expiry resends it, those without progress, this one
   *     included; else 0
   */
  boolean isTooLong(int length, int expiriesInRow) {
    if (isFixed) {
      return false;
    }
    return length > packetLengthMax()
        || expiriesInRow >= 2 && length > floorBytes - TAIL
        || expiriesInRow == 1 && length > agreedBytes - TAIL;
  }

  /** Returns the length to which such a packet is made shorter. */
  int lengthFor(boolean isExpiry) {
    return (isExpiry ? floorBytes : bytes) - TAIL;
  }

  // ---- probes

  /**
   * Returns the length of a probe that is to leave now, to be told by {@link #onProbeSent}; 0:
   * none.
   *
   * @param probeId drawn at random for it
   */
  int pollProbe(int probeId, boolean hasOutstanding, long answerNs, long nowNs) {
    if (!hasOutstanding || !isProbeDue()) {
      return 0;
    }
    if (probeBytes == 0) {
      probeBytes = next();
      if (probeBytes == 0) {
        complete(nowNs);
        return 0;
      }
      tries = 0;
      idCount = 0;
      guesses = 0;
    }
    if (state == State.BASE) {
      state = State.SEARCHING;
    }
    fullCount = 0;
    if (idCount == TRIES) {
      System.arraycopy(ids, 1, ids, 0, TRIES - 1);
      idCount--;
    }
    ids[idCount++] = probeId;
    sentNs = nowNs;
    deadlineNs = nowNs + (Math.max(PROBE_NS_MIN, answerNs) << Math.min(tries, TRIES));
    return probeBytes;
  }

  /** Returns whether {@link #pollProbe} has one, if anything is unacknowledged. */
  boolean isProbeDue() {
    return !isFixed && deadlineNs == Long.MAX_VALUE && fullCount >= needed();
  }

  /**
   * Returns how many full packets the search waits for. It begins when packets are full and goes on
   * while full ones are sent. A search that stands still is over.
   */
  private int needed() {
    return switch (state) {
      case BASE -> bytes < maxBytes ? FULL_PACKETS : Integer.MAX_VALUE;
      case SEARCHING, ERROR -> 1;
      case COMPLETE -> Integer.MAX_VALUE;
    };
  }

  /**
   * Returns the next length to try, 0 for none: what is common first, in order; then the most that
   * is allowed; then halves.
   */
  private int next() {
    for (int length : LENGTHS) {
      if (length > bytes && length < passesNoMoreBytes) {
        return length;
      }
    }
    if (passesNoMoreBytes > maxBytes) {
      return bytes < maxBytes ? maxBytes : 0;
    }
    return passesNoMoreBytes - 1 - bytes > bytes >> 3 ? bytes + passesNoMoreBytes >> 1 : 0;
  }

  private void complete(long nowNs) {
    state = State.COMPLETE;
    raiseNs = nowNs + RAISE_NS;
  }

  /** Returns when {@link #onTimeout} is due; {@link Long#MAX_VALUE}: never. */
  long deadlineNs() {
    return deadlineNs;
  }

  /**
   * Notes that the time of the probe that is out may be over.
   *
   * @param progressNs when something was last acknowledged on the path: before the probe left means
   *     that it shows nothing
   * @return whether a probe was lost
   */
  boolean onTimeout(long progressNs, long nowNs) {
    if (nowNs < deadlineNs) {
      return false;
    }
    deadlineNs = Long.MAX_VALUE;
    if (progressNs - sentNs > 0 && ++tries == TRIES) {
      passesNoMoreBytes = probeBytes;
      probeBytes = 0;
    }
    return true;
  }

  /**
   * Notes that a PONG came.
   *
   * @return whether it answers a probe of the length that is being tried: then that passes
   */
  boolean onAnswer(int id) {
    if (probeBytes == 0) {
      return false;
    }
    for (int i = 0; i < idCount; i++) {
      if (ids[i] == id) {
        bytes = probeBytes;
        probeBytes = 0;
        idCount = 0;
        deadlineNs = Long.MAX_VALUE;
        fullCount = 1; // what comes next was waiting for this
        forgetLosses();
        state = bytes >= Math.min(BASE_BYTES, agreedBytes) ? State.SEARCHING : State.ERROR;
        return true;
      }
    }
    if (++guesses >= Limits.PROBE_GUESSES_MAX) {
      idCount = 0; // nobody guesses it: the probe ends unanswered
    }
    return false;
  }

  // ---- black holes

  /**
   * Returns the length that the packet's own is compared with: 0, all that may be sent, for a short
   * packet that passes says nothing of it; 1, the usual minimum; 2, the floor; 3, nothing, for it
   * passes where anything does.
   */
  private int kind(int length) {
    if (length > Math.min(BASE_BYTES, agreedBytes) - TAIL) {
      return length > bytes - (bytes >> 4) - TAIL ? 0 : 1;
    }
    return length > floorBytes - TAIL ? 2 : CLASSES;
  }

  /**
   * Returns the transmission {@code sequence} of a packet arrived.
   *
   * @return whether this shows a black hole: the length has fallen
   */
  boolean onArrived(int length, int sequence, long nowNs) {
    if (isFixed) {
      return false;
    }
    if (hasExpired && sequence - sequenceAfterExpiry > SEQUENCES_REMEMBERED) {
      hasExpired = false; // before its numbers come round
    }
    int kind = kind(length);
    for (int i = kind; i < CLASSES; i++) { // where it passed the shorter ones do
      if (!hasArrived[i] || sequence - arrivedSequences[i] > 0) {
        hasArrived[i] = true;
        arrivedSequences[i] = sequence;
        losses[i] = 0;
      }
    }
    for (int i = kind - 1; i >= 0; i--) {
      if (losses[i] >= LOSSES_MAX) {
        fall(i, nowNs);
        return true;
      }
    }
    return false;
  }

  /**
   * Notes that the timer has expired: what was sent before it, of which nothing was heard, may all
   * be lost by an outage, and shows nothing of its length. If it was the length, what is sent from
   * now on shows that.
   *
   * @param nextSequence of the next transmission
   */
  void onExpiry(int nextSequence) {
    hasExpired = true;
    sequenceAfterExpiry = nextSequence;
  }

  /**
   * Notes that nothing was heard of the transmission {@code sequence} until the timer expired; the
   * packet goes out again as a shorter one.
   */
  void onShortened(int length, int sequence) {
    if (isSuspicious(length, sequence)) {
      losses[kind(length)]++;
    }
  }

  private boolean isSuspicious(int length, int sequence) {
    int kind = kind(length);
    return !isFixed
        && kind < CLASSES
        && length <= packetLengthMax()
        && (!hasArrived[kind] || sequence - arrivedSequences[kind] > 0);
  }

  /**
   * Notes that the transmission {@code sequence} of a packet was judged lost, because later ones
   * arrived.
   *
   * @return whether this is a black hole: the length has fallen
   */
  boolean onLost(int length, int sequence, long nowNs) {
    boolean isOfAnOutage = hasExpired && sequence - sequenceAfterExpiry < 0;
    if (isOfAnOutage || !isSuspicious(length, sequence) || ++losses[kind(length)] < LOSSES_MAX) {
      return false;
    }
    fall(kind(length), nowNs);
    return true;
  }

  private void forgetLosses() {
    for (int i = 0; i < CLASSES; i++) {
      losses[i] = 0;
      hasArrived[i] = false;
    }
  }

  private void fall(int kind, long nowNs) {
    boolean isAgain = holeBytes == bytes && nowNs - holeNs < RAISE_NS;
    passesNoMoreBytes =
        isAgain ? bytes : maxBytes + 1; // probes pass, packets do not: no third time
    holeBytes = bytes;
    holeNs = nowNs;
    bytes = kind < 2 ? Math.min(BASE_BYTES, agreedBytes) : floorBytes;
    state = bytes >= Math.min(BASE_BYTES, agreedBytes) ? State.SEARCHING : State.ERROR;
    probeBytes = 0;
    idCount = 0;
    deadlineNs = Long.MAX_VALUE;
    forgetLosses();
  }

  /** Notes that the path leads elsewhere from now on: nothing is known of it. */
  void onMoved() {
    if (!isFixed) {
      bytes = agreedBytes;
      state = State.BASE;
      passesNoMoreBytes = maxBytes + 1;
      fullCount = 0;
      probeBytes = 0;
      idCount = 0;
      deadlineNs = Long.MAX_VALUE;
      forgetLosses();
      holeBytes = 0;
    }
  }
}
