package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Check of the transactions on the wire, record by record, each packet once. No unsolicited byte
 * exceeds the credit told. No byte is granted twice or beyond its message. No byte is sent without
 * a grant or twice. No completion leaves without the application's acknowledgement.
 */
final class TransactionObserver {
  private static final int FLAG_WHOLE = 1;
  private static final int FLAG_UNAWAITED = 4;
  private static final int FLAG_HEADER = 2;
  private static final long OVERHEAD_BYTES = 32;
  private static final long ROUNDING_NS = 1_000_000;

  private final Workload workload;
  private final SenderView[] senders;
  private final SimTotals totals;
  private final Independence independence;
  private final long[] chargedBytes = new long[2];

  /** Bytes granted, and sent, of each transaction that the host initiated, by index. */
  private final Map<Integer, DisjointRanges>[] granted = maps();

  private final Map<Integer, DisjointRanges>[] sent = maps();

  /**
   * Packets of a host that carry errors: (window, psn) → index of the transaction; and the errors
   * that arrived.
   */
  private final Map<Integer, BitSet>[] errorPackets = maps();

  private final BitSet[] errorsArrived = {new BitSet(), new BitSet()};

  /** Transactions of a host that have sent a record. */
  private final BitSet[] begun = {new BitSet(), new BitSet()};

  private final DisplacedView[] displaced = {new DisplacedView(), new DisplacedView()};

  /**
   * Position of the present record in its packet, and whether it left before in a packet that was
   * too long.
   */
  private int ordinal;

  private boolean isRepeated;

  private final BitSet[] givenUp = {new BitSet(), new BitSet()};

  /** Number of transactions whose end the completions of a host have passed. */
  private final int[] checkedBases = new int[2];

  TransactionObserver(
      Workload workload, SenderView[] senders, SimTotals totals, Independence independence) {
    this.independence = independence;
    this.workload = workload;
    this.senders = senders;
    this.totals = totals;
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static <V> Map<Integer, V>[] maps() {
    return new Map[] {new HashMap<Integer, V>(), new HashMap<Integer, V>()};
  }

  /**
   * Checks the records of a packet of {@code from} that leaves for the first time.
   *
   * @param dueNs virtual time up to which its host has certainly done what was due
   */
  void onRecords(int from, WireView view, long dueNs) {
    int at = view.recordsStart();
    for (int i = 0; i < view.recordCount(); i++) {
      int length = view.u16(at + 2);
      ordinal = i;
      isRepeated = displaced[from].take(view, at, length);
      if (!isRepeated) {
        checkNotGivenUp(from, view, at, dueNs);
      }
      onRecord(from, view, at, length);
      at += length;
    }
    require(at == view.recordsEnd(), Invariant.NUMBERING, "records end at %d", at);
  }

  /** Records that {@code from} took these records out of a packet. They may leave again. */
  void onDisplaced(int from, byte[] records) {
    totals.displaced += displaced[from].add(records);
  }

  private void onRecord(int from, WireView view, int at, int length) {
    int rsn = view.i32(at + 4);
    if (isRepeated && onRepeated(from, view, at)) {
      return;
    }
    switch (view.u8(at)) {
      case WireView.PUSH_SOLICITED_REQUEST -> {
        totals.solicited++;
        begun[from].set(senders[from].rsnIndex(rsn));
        countWraps(from, rsn);
        if (view.i32(at + 8) == 0) {
          totals.wrapsSsn++;
        }
        charge(from, length - 16);
      }
      case WireView.PULL_REQUEST -> {
        totals.pulls++;
        begun[from].set(senders[from].rsnIndex(rsn));
        countWraps(from, rsn);
        grant(from, rsn, 0, Integer.toUnsignedLong(view.i32(at + 12)));
        carried(from, from, senders[from].rsnIndex(rsn), view, 0, 0);
        charge(from, length - 16);
      }
      case WireView.PUSH_GRANT -> {
        totals.grants++;
        grant(1 - from, rsn, view.i32(at + 12), Integer.toUnsignedLong(view.i32(at + 16)));
      }
      case WireView.PULL_GRANT -> {
        totals.grants++;
        grant(from, rsn, view.i32(at + 8), Integer.toUnsignedLong(view.i32(at + 12)));
      }
      case WireView.PUSH_SOLICITED_DATA ->
          solicited(from, from, rsn, view, Integer.toUnsignedLong(view.i32(at + 8)), length - 12);
      case WireView.PUSH_UNSOLICITED_DATA -> unsolicited(from, view, at, length);
      case WireView.PULL_DATA -> {
        boolean isWhole = (view.u8(at + 1) & FLAG_WHOLE) != 0;
        long offset = isWhole ? 0 : Integer.toUnsignedLong(view.i32(at + 8));
        solicited(from, 1 - from, rsn, view, offset, length - (isWhole ? 8 : 16));
      }
      case WireView.COMPLETED -> completed(from, view, at);
      case WireView.RESYNC -> resync(from, view, at);
      case WireView.COMPLETE_IN_ERROR ->
          errorPackets[from]
              .computeIfAbsent(view.psn(), psn -> new BitSet())
              .set(senders[1 - from].rsnIndex(rsn));
      default -> {}
    }
  }

  /**
   * Handles a record that was counted when it first left. Returns false if it carries bytes of a
   * message, which may arrive with it.
   */
  private boolean onRepeated(int from, WireView view, int at) {
    switch (view.u8(at)) {
      case WireView.PULL_REQUEST -> {
        carried(from, from, senders[from].rsnIndex(view.i32(at + 4)), view, 0, 0);
        return true;
      }
      case WireView.PUSH_SOLICITED_DATA, WireView.PUSH_UNSOLICITED_DATA, WireView.PULL_DATA -> {
        return false;
      }
      default -> {
        return true;
      }
    }
  }

  private void checkNotGivenUp(int from, WireView view, int at, long dueNs) {
    boolean isOfOwn =
        switch (view.u8(at)) {
          case WireView.PUSH_SOLICITED_REQUEST,
              WireView.PULL_REQUEST,
              WireView.PUSH_SOLICITED_DATA,
              WireView.PUSH_UNSOLICITED_DATA ->
              true;
          default -> false;
        };
    if (isOfOwn) {
      PlannedTransaction own = transaction(from, senders[from].rsnIndex(view.i32(at + 4)));
      boolean isOverdue = own.deadlineNs < dueNs - ROUNDING_NS;
      if (own.isCancelled || isOverdue) {
        throw InvariantViolation.of(
            Invariant.GIVEN_UP,
            "host %d sends more of %s, %s",
            from,
            own.state(),
            isOverdue ? "after its deadline" : "cancelled");
      }
    }
  }

  private void countWraps(int from, int rsn) {
    if (rsn == 0 && senders[from].rsnIndex(rsn) > 0) {
      totals.wrapsRsn++;
    }
  }

  /** Returns whether a record of {@code host}'s transaction {@code index} has left. */
  boolean isBegun(int host, int index) {
    return begun[host].get(index);
  }

  /** Returns the unsolicited bytes that host {@code from} was charged so far. */
  long chargedBytes(int from) {
    return chargedBytes[from];
  }

  private void charge(int from, long bytes) {
    chargedBytes[from] += bytes;
    long limit = Math.max(senders[from].limitBytes(), senders[1 - from].givenCredit());
    if (!(chargedBytes[from] <= limit)) {
      throw InvariantViolation.of(
          Invariant.CREDIT,
          "host %d: %,d bytes charged, %,d allowed",
          from,
          chargedBytes[from],
          limit);
    }
  }

  private void grant(int initiator, int rsn, long offset, long length) {
    int index = senders[initiator].rsnIndex(rsn);
    PlannedTransaction transaction = transaction(initiator, index);
    if (length == 0) {
      return;
    }
    DisjointRanges ranges = granted[initiator].computeIfAbsent(index, i -> new DisjointRanges());
    if (!(ranges.add(offset, offset + length))) {
      throw InvariantViolation.of(
          Invariant.GRANTS,
          "bytes %d..%d of %s are granted twice",
          offset,
          offset + length,
          transaction);
    }
    long bound = transaction.isPush() ? transaction.lengthBytes : transaction.lengthBytesMax;
    require(offset + length <= bound, Invariant.GRANTS, "grant beyond the end of %s", transaction);
    if (length < bound) {
      totals.partialGrants++;
    }
  }

  private void solicited(
      int from, int initiator, int rsn, WireView view, long offset, long length) {
    int index = senders[initiator].rsnIndex(rsn);
    DisjointRanges ranges = granted[initiator].get(index);
    if (!(length == 0 || ranges != null && ranges.contains(offset, offset + length))) {
      throw InvariantViolation.of(
          Invariant.GRANTS,
          "bytes %d..%d of %s are sent without a grant",
          offset,
          offset + length,
          transaction(initiator, index));
    }
    sentOnce(initiator, index, offset, length);
    carried(from, initiator, index, view, offset, offset + length);
  }

  private void carried(int from, int initiator, int index, WireView view, long offset, long end) {
    int window = view.type() == WireView.REQUEST ? 0 : 1;
    PlannedTransaction transaction = transaction(initiator, index);
    independence.onCarried(from, window, view.psn(), ordinal, transaction, offset, end);
  }

  private void sentOnce(int initiator, int index, long offset, long length) {
    if (isRepeated) {
      return;
    }
    if (!(sent[initiator]
        .computeIfAbsent(index, i -> new DisjointRanges())
        .add(offset, offset + length))) {
      throw InvariantViolation.of(
          Invariant.GRANTS,
          "bytes %d..%d of %s are sent in two packets",
          offset,
          offset + length,
          transaction(initiator, index));
    }
  }

  private void unsolicited(int from, WireView view, int at, int length) {
    int flags = view.u8(at + 1);
    int index = senders[from].rsnIndex(view.i32(at + 4));
    PlannedTransaction transaction = transaction(from, index);
    boolean isWhole = (flags & FLAG_WHOLE) != 0;
    int next = isWhole ? 8 : 16;
    long offset = isWhole ? 0 : Integer.toUnsignedLong(view.i32(at + 8));
    int header = 0;
    if ((flags & FLAG_HEADER) != 0) {
      header = view.u16(at + next);
      next += 2 + header;
    }
    long payload = length - next;
    long total = isWhole ? payload : Integer.toUnsignedLong(view.i32(at + 12));
    require(
        (flags & FLAG_UNAWAITED) == 0
            || transaction.isUnawaited && transaction.deadlineNs == Long.MAX_VALUE,
        Invariant.CONTENT,
        "%s says that nobody waits for it",
        transaction);
    require(
        total == transaction.lengthBytes,
        Invariant.CONTENT,
        "%s is announced with %d bytes",
        transaction,
        total);
    if (!sent[from].containsKey(index)) {
      totals.unsolicited++;
      begun[from].set(index);
      countWraps(from, view.i32(at + 4));
      charge(from, total + header + OVERHEAD_BYTES);
    }
    sentOnce(from, index, offset, payload);
    carried(from, from, index, view, offset, offset + payload);
  }

  /**
   * Checks a RESYNC: nothing of the transaction was ever sent, its application gave it up, and it
   * is passed over once.
   */
  private void resync(int from, WireView view, int at) {
    int rsn = view.i32(at + 4);
    int index = senders[from].rsnIndex(rsn);
    PlannedTransaction given = transaction(from, index);
    require(
        given.mayBeGivenUp() && !given.isDelivered && !sent[from].containsKey(index),
        Invariant.TRUE_OUTCOME,
        "%s is given up on the wire",
        given);
    require(!givenUp[from].get(index), Invariant.NO_DUPLICATE, "%s is given up twice", given);
    givenUp[from].set(index);
    totals.resyncs++;
    countWraps(from, rsn);
    charge(from, Integer.toUnsignedLong(view.i32(at + 12)));
  }

  private void completed(int from, WireView view, int at) {
    SenderView initiator = senders[1 - from];
    int base = view.i32(at + 4);
    initiator(from).onLimit(view.i64(at + 12));
    int first = (base & ~63) + view.u16(at + 8) * 64;
    for (int k = 0; k < view.u8(at + 10); k++) {
      long word = view.i64(at + 20 + 8 * k);
      for (int bit = 0; bit < 64; bit++) {
        int rsn = first + 64 * k + bit;
        if ((word & (1L << bit)) != 0 && rsn - base >= 0) {
          PlannedTransaction done = transaction(1 - from, initiator.rsnIndex(rsn));
          require(
              done.isAcknowledged || done.isAnswered,
              Invariant.TRUE_OUTCOME,
              "COMPLETED for %s, which its application did not acknowledge",
              done);
          if (done.isPush()) {
            carried(from, 1 - from, done.index, view, 0, 0);
          }
        }
      }
    }
    checkCompletedBase(from, view, initiator.rsnIndex(base));
  }

  private SenderView initiator(int target) {
    return senders[1 - target];
  }

  /**
   * Checks that everything below the base has ended, and that its errors have reached the
   * initiator.
   */
  private void checkCompletedBase(int from, WireView view, int baseIndex) {
    while (checkedBases[from] < baseIndex) {
      int index = checkedBases[from]++;
      if (workload.rsns(1 - from).isPassed(index)) {
        continue;
      }
      PlannedTransaction done = transaction(1 - from, index);
      boolean hasSucceeded = done.isAcknowledged || done.isAnswered;
      require(
          hasSucceeded || errorsArrived[from].get(index) || givenUp[1 - from].get(index),
          Invariant.TRUE_OUTCOME,
          "completion passes %s, whose error has not arrived",
          done);
      if (hasSucceeded && done.isPush()) {
        carried(from, 1 - from, index, view, 0, 0);
      }
    }
  }

  /** Counts, at the end of the connection, the bytes that were not sent because a sink failed. */
  void countSpared() {
    for (int host = 0; host < 2; host++) {
      for (PlannedTransaction broken : workload.of(host)) {
        if (broken.isBroken) {
          DisjointRanges ranges = sent[host].get(broken.index);
          totals.sparedBytes += broken.lengthBytes - (ranges == null ? 0 : ranges.total());
        }
      }
    }
  }

  /** Records a packet of {@code from} that arrived undamaged. */
  void onDelivered(int from, int window, int psn, int recordCount) {
    independence.onDelivered(from, window, psn, recordCount);
    BitSet errors = window == 1 ? errorPackets[from].get(psn) : null;
    if (errors != null) {
      errorsArrived[from].or(errors);
    }
  }

  private PlannedTransaction transaction(int initiator, int index) {
    if (!(index >= 0 && index < workload.of(initiator).size())) {
      throw InvariantViolation.of(
          Invariant.NUMBERING, "rsn index %d of host %d was never submitted", index, initiator);
    }
    return workload.of(initiator).get(index);
  }
}
