package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.Integrity;

/**
 * Decides the datagram length on one path by the method of RFC 8899 (DPLPMTUD). Only an answered
 * padded PING proves that a length passes. Only losses show that a length does not pass. Reports of
 * the network, by ICMP or otherwise, prove nothing.
 *
 * <pre>
 *   BASE ──packets are full──▶ SEARCHING ──nothing left to try──▶ COMPLETE
 *                               ▲   ▲ │                              │
 *                   a probe     │   │ └──── losses: a black hole ────┤
 *                   was answered│   └──── {@link #RAISE_NS} later ────────┤
 *                              ERROR ◀── a black hole below 1,200 ───┘
 * </pre>
 *
 * <p><b>Up.</b> The length agreed at set-up is assumed to pass. After {@link #FULL_PACKETS} full
 * packets longer datagrams are tried, one probe at a time. First come the usual lengths of links,
 * in order. Then come lengths between the longest that passed and the shortest that did not, until
 * the difference is an eighth. A length does not pass if {@link #TRIES} probes of it went
 * unanswered while another packet was acknowledged; an outage proves nothing. Each probe has a
 * random id, so only its receiver can answer it. Probes do not count as in flight, and their losses
 * do not count as congestion.
 *
 * <p><b>Down.</b> A black hole is {@link #LOSSES_MAX} long packets lost in a row while shorter ones
 * arrive. None of the long packets sent since the first of them may have arrived. The length then
 * falls to 1,200 bytes, which nearly every path carries. From there or below it falls to the floor,
 * which holds the longest record. If nothing arrives at all, the packets that the timer resends are
 * shortened ({@link #isTooLong}). That distinguishes an outage from a black hole.
 *
 * <p>The only timer is the probe's. The timer to raise the length is checked when a packet is
 * filled, so a silent connection has none. Loop-confined.
 */
public final class PathMtuSearch {
  /** State of the search. */
  public enum State {
    /** Not begun: the agreed length is assumed to pass. */
    BASE,
    /** Longer datagrams are tried. */
    SEARCHING,
    /** The longest length has been found, for now. */
    COMPLETE,
    /** Even the usual minimum does not pass. The floor is used, and longer datagrams are tried. */
    ERROR
  }

  /**
   * Number of unanswered probes of one length after which it counts as too long (RFC 8899,
   * MAX_PROBES).
   */
  static final int TRIES = 3;

  /** Long packets lost in a row that make a black hole. */
  static final int LOSSES_MAX = 3;

  /**
   * Number of length classes. An arrival in one class clears the losses of the classes of shorter
   * lengths.
   */
  private static final int CLASSES = 3;

  /** Full packets before longer datagrams are tried. A connection that sends little needs none. */
  static final int FULL_PACKETS = 8;

  /** Time after which a finished search begins again (RFC 8899, PMTU_RAISE_TIMER). */
  static final long RAISE_NS = 600_000_000_000L;

  /** Length used if the agreed length does not pass (RFC 8899, BASE_PLPMTU). */
  static final int BASE_BYTES = 1_200;

  /**
   * Minimum time to wait for the answer to a probe. The measured round trip does not include such
   * long datagrams.
   */
  static final long PROBE_NS_MIN = 20_000_000;

  static final long PROBE_NS_UNSAMPLED = 1_000_000_000;

  private static final int SEQUENCES_REMEMBERED = 1 << 24;

  /**
   * Lengths of links without the headers of IPv4 or IPv6 and UDP: 1,232 and 1,372 of tunnels, 1,500
   * less 48 and 28, jumbo frames, loopback.
   */
  private static final int[] LENGTHS = {
    1_200, 1_232, 1_372, 1_408, 1_452, 1_472, 4_052, 8_192, 8_952, 8_972, 16_384, 32_768, 65_488,
    65_507
  };

  private static final int TAIL =
      Integrity.TRAILER_LENGTH_MAX - Integrity.TRAILER_LENGTH; // reserved and not sent

  private final int agreedBytes;
  private final int floorBytes;
  private final int maxBytes;
  private final boolean isFixed;

  private State state = State.BASE;
  private int bytes;
  private int passesNoMoreBytes;
  private int fullCount;
  private long raiseNs;

  // The probe in flight: its length, its tries and their ids.
  private int probeBytes;
  private int tries;
  private final int[] ids;
  private int idCount;
  private int guesses;
  private long sentNs;
  private long deadlineNs = Long.MAX_VALUE;

  // Arrays by length class: packets near the maximum length, others above the usual minimum, and
  // those above the floor.
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

  /** Creates a search whose length stays as agreed. */
  public static PathMtuSearch fixed(int agreedBytes) {
    return new PathMtuSearch(agreedBytes, agreedBytes, agreedBytes, true);
  }

  /**
   * Creates a search.
   *
   * @param agreedBytes UDP payload that is assumed to pass
   * @param headerLengthMax the longest application header that a record may have
   * @param maxBytes the most that this side sends and the peer accepts
   */
  public static PathMtuSearch search(int agreedBytes, int headerLengthMax, int maxBytes) {
    return new PathMtuSearch(
        agreedBytes,
        floorBytes(agreedBytes, headerLengthMax),
        Math.max(agreedBytes, Math.min(maxBytes, Limits.PACKET_LENGTH_MAX)),
        false);
  }

  /** Returns the UDP payload below which no packet needs to fall: the longest record fits. */
  public static int floorBytes(int agreedBytes, int headerLengthMax) {
    return Math.min(agreedBytes, Math.max(Limits.DATAGRAM_LENGTH_MIN, headerLengthMax + 128));
  }

  public State state() {
    return state;
  }

  /** Returns the UDP payload of the longest datagram that is assumed to pass. */
  public int bytes() {
    return bytes;
  }

  /** Returns the bytes of the longest numbered packet. */
  int packetLengthMax() {
    return bytes - TAIL;
  }

  /** Returns the bytes of a numbered packet that is never shortened. */
  int packetLengthLeast() {
    return floorBytes - TAIL;
  }

  // ---- sent packets

  /** Handles a new packet of {@code length} bytes. */
  void onBuilt(int length, long nowNs) {
    if (isFixed || length < bytes - (bytes >> 3) - TAIL) {
      return;
    }
    fullCount += fullCount < Integer.MAX_VALUE ? 1 : 0; // nothing may reset it for a long time
    if (state == State.COMPLETE && bytes < maxBytes && nowNs >= raiseNs) {
      passesNoMoreBytes = maxBytes + 1;
      state = State.SEARCHING;
    }
  }

  /**
   * Returns whether a packet of {@code length} bytes must be shortened to {@link #lengthFor} before
   * it is resent.
   *
   * @param expiriesInRow for a resend by an expiry: the expiries without progress, including this
   *     one; else 0
   */
  boolean isTooLong(int length, int expiriesInRow) {
    if (isFixed) {
      return false;
    }
    return length > packetLengthMax()
        || expiriesInRow >= 2 && length > floorBytes - TAIL
        || expiriesInRow == 1 && length > agreedBytes - TAIL;
  }

  /** Returns the length in bytes to which such a packet is shortened. */
  int lengthFor(boolean isExpiry) {
    return (isExpiry ? floorBytes : bytes) - TAIL;
  }

  // ---- probes

  /**
   * Returns the length of a probe that leaves now, or 0 for none. The probe counts as sent.
   *
   * @param probeId the probe's random id
   * @param answerNs how long the answer may take
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

  /** Returns whether {@link #pollProbe} has a probe, if a packet is unacknowledged. */
  boolean isProbeDue() {
    return !isFixed && deadlineNs == Long.MAX_VALUE && fullCount >= needed();
  }

  /**
   * Returns the full packets that must be sent before a probe. A search begins after {@link
   * #FULL_PACKETS}. It continues while any full packets are sent. A finished search needs no probe.
   */
  private int needed() {
    return switch (state) {
      case BASE -> bytes < maxBytes ? FULL_PACKETS : Integer.MAX_VALUE;
      case SEARCHING, ERROR -> 1;
      case COMPLETE -> Integer.MAX_VALUE;
    };
  }

  /**
   * Returns the next length to try, or 0 for none. First come the usual lengths in order, then the
   * maximum, then the middle between the limits.
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

  /** Returns when {@link #onTimeout} is due; {@link Long#MAX_VALUE} for never. */
  long deadlineNs() {
    return deadlineNs;
  }

  /**
   * Handles the timeout of the probe in flight, if it has been reached.
   *
   * @param progressNs when a packet of the path was last acknowledged; if that was before the probe
   *     left, the loss shows nothing
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
   * Handles a received PONG.
   *
   * @return whether it answers a probe of the length that is being tried; that length then passes
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
        fullCount = 1; // the next probe was waiting for this answer
        forgetLosses();
        state = bytes >= Math.min(BASE_BYTES, agreedBytes) ? State.SEARCHING : State.ERROR;
        return true;
      }
    }
    if (++guesses >= Limits.PROBE_GUESSES_MAX) {
      idCount = 0; // a guesser gets no more chances: the probe ends unanswered
    }
    return false;
  }

  // ---- black holes

  /**
   * Returns the length class of a packet. 0: near the maximum length, 1: above the usual minimum,
   * 2: above the floor. 3: it passes wherever anything does.
   */
  private int kind(int length) {
    if (length > Math.min(BASE_BYTES, agreedBytes) - TAIL) {
      return length > bytes - (bytes >> 4) - TAIL ? 0 : 1;
    }
    return length > floorBytes - TAIL ? 2 : CLASSES;
  }

  /**
   * Handles the arrival of a packet's transmission {@code sequence}.
   *
   * @return whether this shows a black hole; then the length has fallen
   */
  boolean onArrived(int length, int sequence, long nowNs) {
    if (isFixed) {
      return false;
    }
    if (hasExpired && sequence - sequenceAfterExpiry > SEQUENCES_REMEMBERED) {
      hasExpired = false; // before its sequence number wraps around
    }
    int kind = kind(length);
    for (int i = kind; i < CLASSES; i++) { // a path that carried it carries shorter packets too
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
   * Handles an expiry of the timer. An outage may have lost all unanswered packets sent before it,
   * so their losses show nothing about the length. Packets sent from now on will show it.
   *
   * @param nextSequence the sequence of the next transmission
   */
  void onExpiry(int nextSequence) {
    hasExpired = true;
    sequenceAfterExpiry = nextSequence;
  }

  /**
   * Handles a transmission {@code sequence} without an answer until the timer expired. Its packet
   * is resent as a shorter one.
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
   * Handles a packet's transmission {@code sequence} that was judged lost because later ones
   * arrived.
   *
   * @return whether this shows a black hole; then the length has fallen
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
        isAgain ? bytes : maxBytes + 1; // probes pass but packets do not: no third attempt
    holeBytes = bytes;
    holeNs = nowNs;
    bytes = kind < 2 ? Math.min(BASE_BYTES, agreedBytes) : floorBytes;
    state = bytes >= Math.min(BASE_BYTES, agreedBytes) ? State.SEARCHING : State.ERROR;
    probeBytes = 0;
    idCount = 0;
    deadlineNs = Long.MAX_VALUE;
    forgetLosses();
  }

  /**
   * Returns the UDP payload of a PING that asks whether the path works: as long as packets are, up
   * to the agreed length. If that is not answered twice, the path may be narrower.
   */
  int questionBytes(int unansweredCount) {
    int full = Math.min(bytes, agreedBytes);
    return isFixed || unansweredCount < 2 ? full : Math.min(BASE_BYTES, full);
  }

  /**
   * Handles the answer to a PING of {@link #questionBytes}. Returns whether the datagram length has
   * fallen.
   */
  boolean onQuestionAnswered(int length, long nowNs) {
    if (length >= Math.min(bytes, agreedBytes)) {
      return false;
    }
    fall(0, nowNs);
    return true;
  }

  /** Handles a change of the path's address. Nothing is known about the new path. */
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
