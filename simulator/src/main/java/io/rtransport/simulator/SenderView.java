package io.rtransport.simulator;

import java.util.Arrays;
import java.util.BitSet;

/**
 * State of one sending host as the wire shows it: its numbers, which of its packets arrived, and
 * the credit its peer gave it.
 */
final class SenderView {
  private static final int TLV_FIRST_REQUEST_PSN = 18;
  private static final int TLV_FIRST_DATA_PSN = 19;
  private static final int TLV_FIRST_RSN = 20;
  private static final int TLV_FIRST_SSN = 21;
  private static final int TLV_INITIAL_CREDIT = 24;
  private static final int TLVS_OFFSET = 48;

  private final int host;
  private final Workload workload; // null for windows alone
  private final int[] firstPsns = new int[2];
  private final long[] nextIndexes = new long[2];
  private final byte[][][] records = {new byte[1_024][], new byte[1_024][]};
  private final BitSet[] delivered = {new BitSet(), new BitSet()};
  private byte[] displaced;
  private int firstRsn;
  private int firstSsn;
  private int nextSequence = -1;
  private long givenCredit;
  private long limitBytes;
  private long resentCount;
  private boolean isKnown;

  SenderView(int host, Workload workload) {
    this.host = host;
    this.workload = workload;
  }

  void known(int firstRequestPsn, int firstDataPsn) {
    firstPsns[0] = firstRequestPsn;
    firstPsns[1] = firstDataPsn;
    isKnown = true;
  }

  /** Sets the numbers that {@code plan} has drawn for {@code own}. */
  void known(WorldPlan plan, int own) {
    known(plan.firstRequestPsns[own], plan.firstDataPsns[own]);
    firstRsn = plan.firstRsns[own];
    firstSsn = plan.firstSsns[own];
    givenCredit = plan.initialCreditBytes;
  }

  /** Reads the parameters of this host's CONNECT or ACCEPT. A repeat has equal parameters. */
  void onParameters(WireView view, SimTotals totals) {
    int end = TLVS_OFFSET + view.u16(38);
    int at = TLVS_OFFSET;
    while (at + 4 <= end) {
      int valueLength = view.u16(at + 2);
      long value = number(view, at + 4, valueLength);
      switch (view.u16(at)) {
        case TLV_FIRST_REQUEST_PSN -> firstPsns[0] = (int) value;
        case TLV_FIRST_DATA_PSN -> firstPsns[1] = (int) value;
        case TLV_FIRST_RSN -> firstRsn = (int) value;
        case TLV_FIRST_SSN -> firstSsn = (int) value;
        case TLV_INITIAL_CREDIT -> givenCredit = value;
        default -> {}
      }
      at += 4 + valueLength;
    }
    isKnown = true;
  }

  private static long number(WireView view, int at, int length) {
    long value = 0;
    for (int i = 0; i < length && i < 8; i++) {
      value = value << 8 | view.u8(at + i);
    }
    return value;
  }

  boolean isKnown() {
    return isKnown;
  }

  /** Returns the unsolicited bytes that this host lets its peer send at first. */
  long givenCredit() {
    return givenCredit;
  }

  /** Returns the position of {@code rsn} in this host's order of submission. */
  int rsnIndex(int rsn) {
    return workload == null ? rsn - firstRsn : workload.indexOf(host, rsn - firstRsn);
  }

  int firstRsn() {
    return firstRsn;
  }

  long index(int window, int psn) {
    return Integer.toUnsignedLong(psn - firstPsns[window]);
  }

  int psn(int window, long index) {
    return firstPsns[window] + (int) index;
  }

  /**
   * Checks that the transmission sequence rises by one for each numbered packet, resends included.
   */
  void onTransmission(int sequence, SimTotals totals) {
    if (!(nextSequence < 0 || sequence == nextSequence)) {
      throw InvariantViolation.of(
          Invariant.NUMBERING,
          "host %d: transmission sequence %06x where %06x was next",
          host,
          sequence,
          nextSequence);
    }
    nextSequence = (sequence + 1) & 0xFF_FFFF;
    if (nextSequence == 0) {
      totals.wrapsTransmission++;
    }
  }

  /**
   * Checks a numbered packet that leaves. Returns true when it leaves for the first time. A resent
   * packet must repeat its records, or the first of them if it is shorter now.
   */
  boolean onPacket(int window, WireView view, SimTotals totals) {
    int psn = view.psn();
    long index = index(window, psn);
    byte[] sent = records(view);
    long next = nextIndexes[window];
    if (!(index <= next)) {
      throw InvariantViolation.of(
          Invariant.NUMBERING,
          "host %d: psn %08x of window %d where %08x was next",
          host,
          psn,
          window,
          psn(window, next));
    }
    if (index < next) {
      resentCount++;
      byte[] before = records[window][(int) index];
      int kept = sent.length;
      boolean isRepeated = kept <= before.length && Arrays.equals(before, 0, kept, sent, 0, kept);
      if (isRepeated && kept < before.length) {
        totals.shortened++;
        displaced = Arrays.copyOfRange(before, kept, before.length);
        records[window][(int) index] = sent;
      } else if (!isRepeated) {
        throw InvariantViolation.of(
            Invariant.NUMBERING,
            "host %d: psn %08x of window %d was resent with other records",
            host,
            psn,
            window);
      }
      return false;
    }
    if (index == records[window].length) {
      records[window] = Arrays.copyOf(records[window], records[window].length * 2);
    }
    records[window][(int) index] = sent;
    nextIndexes[window]++;
    if (psn == -1) {
      if (window == 0) {
        totals.wrapsRequestPsn++;
      } else {
        totals.wrapsDataPsn++;
      }
    }
    return true;
  }

  private static byte[] records(WireView view) {
    byte[] bytes = new byte[view.recordsEnd() - view.recordsStart()];
    view.copy(view.recordsStart(), bytes, bytes.length);
    return bytes;
  }

  /**
   * Returns and forgets the records that the last resend left out; null: none. They may leave again
   * in other packets.
   */
  byte[] takeDisplaced() {
    byte[] taken = displaced;
    displaced = null;
    return taken;
  }

  void onDelivered(int window, int psn) {
    delivered[window].set((int) index(window, psn));
  }

  boolean isDelivered(int window, int psn) {
    long index = index(window, psn);
    return index < nextIndexes[window] && delivered[window].get((int) index);
  }

  long deliveredCount() {
    return delivered[0].cardinality() + delivered[1].cardinality();
  }

  /** Returns the index of the first packet that has not arrived. */
  long deliveredPrefix(int window) {
    return delivered[window].nextClearBit(0);
  }

  /** Records a credit limit that the peer tells this host. */
  void onLimit(long limit) {
    limitBytes = Math.max(limitBytes, limit);
  }

  /** Records a credit limit from its low 32 bits. */
  void onLimitHint(int low) {
    onLimit(limitBytes + (low - (int) limitBytes));
  }

  /** Returns the highest limit told so far. */
  long limitBytes() {
    return limitBytes;
  }

  long resent() {
    return resentCount;
  }
}
