package io.rtransport.simulator;

import java.nio.ByteBuffer;

/**
 * Observer on the wire that checks both hosts against the visible rules: numbering,
 * acknowledgement, and, through {@link TransactionObserver}, credit and grants. It shares no code
 * with the product. {@link SenderView} holds its state of one direction.
 */
final class WireObserver {
  /** Longest total pause of a pair's hosts. No timer is later than that. */
  private static final long PAIR_LATE_NS = 1_000_000_000;

  private final SenderView[] senders;
  private final TransactionObserver transactions;
  private final SimTotals totals;
  private final SimTrace trace;
  private final WireView view = new WireView();
  private final ResendWatch[] watches = new ResendWatch[2];

  /**
   * Creates the observer.
   *
   * @param workload null for windows alone: then only numbers and acknowledgements are checked
   */
  WireObserver(Workload workload, SimTotals totals, SimTrace trace, Independence independence) {
    this.senders = new SenderView[] {new SenderView(0, workload), new SenderView(1, workload)};
    this.transactions =
        workload == null ? null : new TransactionObserver(workload, senders, totals, independence);
    this.totals = totals;
    this.trace = trace;
  }

  /** Sets the first packet numbers of {@code host}, for worlds without set-up. */
  void known(int host, int firstRequestPsn, int firstDataPsn) {
    senders[host].known(firstRequestPsn, firstDataPsn);
  }

  /**
   * Sets the initial numbers of {@code host}, and the check of its resends, for worlds that know
   * the plans of their hosts.
   */
  void known(int host, WorldPlan plan, ResendWatch watch) {
    senders[host].known(plan, host);
    watches[host] = watch;
  }

  /** Returns whether a record of {@code host}'s transaction {@code index} has left. */
  boolean isBegun(int host, int index) {
    return transactions.isBegun(host, index);
  }

  /** Takes the bytes that host {@code from} sends, before any fault. */
  void onSent(int from, ByteBuffer buffer, int offset, int length, long nowNs) {
    trace.packet(from, buffer, offset, length, nowNs);
    view.wrap(buffer, offset, length);
    SenderView sender = senders[from];
    switch (view.type()) {
      case WireView.CONNECT, WireView.ACCEPT -> sender.onParameters(view, totals);
      case WireView.REQUEST, WireView.DATA -> onNumbered(sender, from, length, nowNs);
      case WireView.ACK -> onAckBody(from, 16);
      case WireView.PONG -> senders[1 - from].onLimit(view.i64(24));
      default -> {}
    }
  }

  private void onNumbered(SenderView sender, int from, int length, long nowNs) {
    if (!(view.pathId() == 0)) {
      throw InvariantViolation.of(Invariant.NUMBERING, "path %d", view.pathId());
    }
    sender.onTransmission(view.transmissionSequence(), totals);
    SenderView peer = senders[1 - from];
    int window = window();
    if (view.hasCreditHint()) {
      peer.onLimitHint(view.creditHint());
    }
    checkBase(from, 0, view.requestAckBase());
    checkBase(from, 1, view.dataAckBase());
    if (view.ackBody() >= 0) {
      onAckBody(from, view.ackBody());
    }
    boolean isNew = sender.onPacket(window, view, totals);
    if (watches[from] != null) {
      boolean isAckRequested = view.isAckRequested();
      watches[from].onSent(window, sender.index(window, view.psn()), length, isAckRequested, nowNs);
    }
    byte[] displaced = sender.takeDisplaced();
    if (displaced != null && transactions != null) {
      transactions.onDisplaced(from, displaced);
    }
    if (isNew && transactions != null) {
      long lateNs = watches[from] == null ? PAIR_LATE_NS : watches[from].pausedNs();
      transactions.onRecords(from, view, nowNs - lateNs);
    }
  }

  private int window() {
    return view.type() == WireView.REQUEST ? 0 : 1;
  }

  /** Checks an ACK body of host {@code from} against its peer's packets. */
  private void onAckBody(int from, int at) {
    int requestWords = view.u8(at + 9);
    senders[1 - from].onLimit(view.i64(at + 16));
    checkBase(from, 0, view.i32(at));
    checkBase(from, 1, view.i32(at + 4));
    checkWords(from, 0, view.i32(at), view.u16(at + 12), at + 24, requestWords);
    int dataAt = at + 24 + 8 * requestWords;
    checkWords(from, 1, view.i32(at + 4), view.u16(at + 14), dataAt, view.u8(at + 10));
  }

  private void checkBase(int from, int window, int base) {
    SenderView peer = senders[1 - from];
    if (!peer.isKnown()) {
      return;
    }
    long index = peer.index(window, base);
    if (!(index <= peer.deliveredPrefix(window))) {
      throw InvariantViolation.of(
          Invariant.ACK_OF_THE_UNSENT,
          "host %d acknowledges all below psn %08x of window %d; only those below %08x arrived",
          from,
          base,
          window,
          peer.psn(window, peer.deliveredPrefix(window)));
    }
  }

  private void checkWords(int from, int window, int base, int wordOffset, int at, int count) {
    SenderView peer = senders[1 - from];
    for (int k = 0; k < count; k++) {
      long word = view.i64(at + 8 * k);
      int first = (base & ~63) + (wordOffset + k) * 64;
      for (int bit = 0; bit < 64; bit++) {
        int psn = first + bit;
        boolean isSet = (word & (1L << bit)) != 0;
        if (psn - base < 0) {
          if (!(isSet)) {
            throw InvariantViolation.of(
                Invariant.ACK_OF_THE_UNSENT, "bit of psn %08x below the base is 0", psn);
          }
        } else if (isSet) {
          if (!(peer.isDelivered(window, psn))) {
            throw InvariantViolation.of(
                Invariant.ACK_OF_THE_UNSENT,
                "host %d acknowledges psn %08x of window %d, which did not arrive",
                from,
                psn,
                window);
          }
        }
      }
    }
  }

  /** Takes a datagram that host {@code to} is about to read. */
  void onDelivered(int to, ByteBuffer buffer, int offset, int length, boolean isDamaged) {
    if (isDamaged) {
      return;
    }
    view.wrap(buffer, offset, length);
    // A repeated CONNECT is for the endpoint. No connection receives it.
    if (watches[to] != null && view.type() != WireView.CONNECT) {
      watches[to].onHeard(senders[to], view);
    }
    if (view.isNumbered()) {
      SenderView sender = senders[1 - to];
      sender.onDelivered(window(), view.psn());
      if (transactions != null) {
        transactions.onDelivered(1 - to, window(), view.psn(), view.recordCount());
      }
    }
  }

  /** Counts the bytes spared, at the end of the connection. */
  void onOver() {
    transactions.countSpared();
  }

  /** Returns the unsolicited bytes that host {@code from} was charged so far. */
  long chargedBytes(int from) {
    return transactions.chargedBytes(from);
  }

  /** Returns the different numbered packets of host {@code from} that arrived undamaged so far. */
  long arrivedCount(int from) {
    return senders[from].deliveredCount();
  }

  /** Returns the packets that host {@code from} sent again so far. */
  long resent(int from) {
    return senders[from].resent();
  }
}
