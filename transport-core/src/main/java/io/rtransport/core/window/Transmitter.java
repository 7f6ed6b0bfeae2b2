package io.rtransport.core.window;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.window.RetransmissionEngine.Resend;
import io.rtransport.core.wire.WindowClass;

/**
 * Fills a burst with the packets that may leave now: resends first, then new packets, requests
 * before data. A new packet needs room in its window, in the path's congestion window, in the store
 * and at the port. This is the inner half of the send pump.
 *
 * <p>The last packet of a burst asks for an acknowledgement if the sender is then limited by a
 * window, by congestion or by credit. The sender then waits for no ack delay. It does not ask while
 * an earlier such packet is in flight and less than 128 KB behind. So one stream gets about one ACK
 * per 128 KB, however small the steps in which its window opens.
 *
 * <p>All packets of a burst leave on one path. With several paths {@link PathSelection} decides
 * which. Resends by probe or timer leave on the path that they test.
 */
final class Transmitter {
  private static final int NONE = RetransmissionEngine.NONE;

  /**
   * Time until the next attempt after the store was full or a send pinned a packet. Other
   * connections may free room in the store.
   */
  static final long RETRY_NS = 1_000_000;

  private final SentPackets sent;
  private final PacketBuilder builder;
  private final AckScheduler acks;
  private final RetransmissionEngine engine;
  private final PathSelection selection;

  /** Null with one path. */
  private Suspicion suspicion;

  private long retryNs = Long.MAX_VALUE;
  private Bound bound = Bound.NONE;
  private boolean isCongested;
  private boolean isStoreFull;
  private long pacedUntilNs = Long.MAX_VALUE;

  // Packet added last, not yet sealed.
  private int stagedSlot = NONE;

  // The last packet that asked for an acknowledgement.
  private WindowClass askedWindow;
  private int askedPsn;
  private long bytesSinceAsked;

  Transmitter(SentPackets sent, PacketBuilder builder, AckScheduler acks) {
    this.sent = sent;
    this.builder = builder;
    this.acks = acks;
    this.engine = sent.engine();
    this.selection = new PathSelection(sent.paths(), sent);
  }

  /** Tells what watches several paths. */
  void watch(Suspicion watching, HealthyPaths healthy) {
    suspicion = watching;
    selection.watch(watching, healthy);
  }

  /** Returns the path for a packet that has no rule of its own. */
  int bestPath() {
    return sent.paths().isSingle()
        ? Integer.numberOfTrailingZeros(sent.paths().usableMask())
        : selection.earliest(selection.healthiest(sent.paths().usableMask()));
  }

  /** Returns when to try again although nothing was received; {@link Long#MAX_VALUE} for never. */
  long retryNs() {
    return retryNs;
  }

  void onRetry() {
    retryNs = Long.MAX_VALUE;
  }

  /**
   * Returns whether records waited in the last pump for room in a window, the congestion window or
   * the store.
   */
  boolean isLimited() {
    return bound != Bound.NONE;
  }

  /**
   * Returns the room that was missing. {@link Bound#NONE} if no records waited, or if the port had
   * no room.
   */
  Bound bound() {
    return bound;
  }

  /**
   * Returns whether records waited for the congestion window in the pump before this one, or
   * packets were lost within a round trip. It is decided when a pump begins and holds until the
   * next begins.
   */
  boolean isCongested() {
    return isCongested;
  }

  private void bound(Bound value) {
    if (bound != value) { // a reference store is expensive, and the value is mostly the same
      bound = value;
    }
  }

  void pump(PacketBurst out, RecordSource records, int room, long nowNs) {
    retryNs = Long.MAX_VALUE;
    isCongested = bound == Bound.CONGESTION || isAnyLosing(nowNs);
    bound(Bound.NONE);
    builder.endRun();
    int usable = room & sent.paths().usableMask();
    if (usable != 0) {
      if (sent.paths().isSingle()) {
        int only = Integer.numberOfTrailingZeros(usable);
        resend(out, records, only, nowNs);
        sendNew(out, records, only, nowNs);
      } else {
        pumpOneOf(usable, out, records, nowNs);
      }
    }
    if (stagedSlot == NONE) {
      return;
    }
    if (suspicion != null) {
      suspicion.onSent(nowNs);
    }
    if ((isLimited() || records.isCreditLimited()) && !isAnswerUnderWay()) {
      builder.requestAck(engine.offset(stagedSlot));
      onAsked();
    }
    seal();
    acks.onBasesSent(nowNs);
  }

  private boolean isAnyLosing(long nowNs) {
    for (int rest = sent.paths().usableMask(); rest != 0; rest &= rest - 1) {
      if (sent.path(Integer.numberOfTrailingZeros(rest)).isLosing(nowNs)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Fills the burst for one of several paths: first for one with resends, else for the one that the
   * selection names. An empty burst means that none of the paths can send.
   */
  private void pumpOneOf(int usable, PacketBurst out, RecordSource records, long nowNs) {
    int rest = usable;
    while (rest != 0 && !sent.queue().isEmpty()) {
      int earliest = selection.earliest(selection.healthiest(rest));
      resend(out, records, earliest, nowNs);
      if (out.count() > 0) {
        bound(Bound.NONE);
        return;
      }
      rest &= ~(1 << earliest);
    }
    int index = selection.forNew(usable, nowNs);
    if (index != NONE) {
      sendNew(out, records, index, nowNs);
    } else if (records.hasRecords(WindowClass.REQUEST, nowNs)
        || records.hasRecords(WindowClass.DATA, nowNs)) {
      onAllCongested(usable, nowNs);
    }
    if (bound == Bound.CONGESTION && out.count() == 0) {
      selection.onWaiting(nowNs);
    } else if (bound == Bound.CONGESTION) {
      bound(Bound.NONE); // another path may have room
    } else if (!out.isFull()) {
      selection.onDrained();
    }
  }

  /** Waits for a path without room. One that has room is too late to be worth it. */
  private void onAllCongested(int usable, long nowNs) {
    bound(Bound.CONGESTION);
    int open = 0;
    for (int rest = usable; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      Path path = sent.path(i);
      if (path.hasNewRoom(path.mtu().packetLengthMax(), nowNs)) {
        open |= 1 << i;
      } else {
        onCongested(path);
      }
    }
    selection.onWaiting(nowNs);
    long worthItNs = selection.worthItNs(open);
    if (worthItNs > nowNs) { // if not, the window holds it back, and an acknowledgement opens that
      retryNs = Math.min(retryNs, worthItNs);
    }
  }

  private boolean isAnswerUnderWay() {
    return askedWindow != null
        && bytesSinceAsked < AckScheduler.OWED_BYTES_MAX
        && !sent.window(askedWindow).isAcknowledged(askedPsn);
  }

  private void onAsked() {
    askedWindow = engine.windowClass(stagedSlot);
    askedPsn = engine.psn(stagedSlot);
    bytesSinceAsked = 0;
  }

  private void resend(PacketBurst out, RecordSource records, int pathIndex, long nowNs) {
    ResendQueue queue = sent.queue();
    int slot = queue.first();
    while (slot != NONE && !out.isFull()) {
      int following = queue.after(slot);
      Resend kind = engine.pendingResend(slot);
      if (isForOther(slot, kind, pathIndex)) {
        slot = following;
        continue;
      }
      if (engine.store().isPinned(engine.token(slot))) {
        // The earlier send of its block is not over, so its bytes must not change.
        retryNs = Math.min(retryNs, nowNs + RETRY_NS);
      } else if (isWindowed(kind)
          && !sent.path(pathIndex).room().isOpenForResend(lengthNow(slot, pathIndex), nowNs)) {
        onCongested(sent.path(pathIndex));
        return;
      } else {
        queue.remove(slot);
        resend(slot, kind, pathIndex, records, nowNs);
        out.add(
            engine.store().memory(),
            engine.offset(slot),
            engine.length(slot),
            pathIndex,
            engine.token(slot));
      }
      slot = following;
    }
  }

  /**
   * Returns whether this resend leaves on another path. One by probe or timer leaves on the path
   * that it tests, if that is among the healthiest. All others leave on one of the healthiest.
   */
  private boolean isForOther(int slot, Resend kind, int pathIndex) {
    int former = engine.pathIndex(slot);
    if (isToLeaveElsewhere(former, kind)) {
      return former == pathIndex;
    }
    if (!selection.isHealthiest(pathIndex)) {
      return true;
    }
    if (kind == Resend.MOVED && former == pathIndex) {
      return selection.hasOtherHealthiest(former); // its path has answered meanwhile
    }
    boolean isTest = !isWindowed(kind) && sent.paths().isUsable(former);
    return isTest && former != pathIndex && selection.isHealthiest(former);
  }

  /**
   * Returns whether this resend takes another path than the one before. Every second expiry in a
   * row does. Otherwise nothing would get through where one path works only there and another only
   * back.
   */
  private boolean isToLeaveElsewhere(int former, Resend kind) {
    int expiries = sent.path(former).adp().timeoutsInRow();
    return kind == Resend.TIMEOUT
        && sent.paths().isUsable(former)
        && expiries > 0
        && (expiries & 1) == 0
        && sent.paths().hasOtherUsable(former);
  }

  /** Returns whether this resend waits for room in the congestion window. */
  private static boolean isWindowed(Resend kind) {
    return kind == Resend.EARLY || kind == Resend.MOVED;
  }

  /** Returns the bytes with which a packet leaves again. It may have to become shorter. */
  private int lengthNow(int slot, int pathIndex) {
    return Math.min(engine.length(slot), sent.path(pathIndex).mtu().packetLengthMax());
  }

  private void resend(int slot, Resend pending, int pathIndex, RecordSource records, long nowNs) {
    // What leaves on its own path again has not moved: only its silence is the reason.
    boolean isBack = pending == Resend.MOVED && engine.pathIndex(slot) == pathIndex;
    Resend kind = isBack ? Resend.TIMEOUT : pending;
    int length = engine.length(slot);
    Path path = sent.path(pathIndex);
    Path former = sent.path(engine.pathIndex(slot));
    boolean isExpiry = kind == Resend.TIMEOUT;
    int expiries = isExpiry ? path.adp().timeoutsInRow() : 0;
    int shortLength = length;
    if (path.mtu().isTooLong(length, expiries)) {
      if (isExpiry) {
        former.mtu().onShortened(length, engine.sequence(slot));
      }
      shortLength = shorten(slot, length, path.mtu().lengthFor(isExpiry));
    }
    former.ring().kill(engine.sequence(slot));
    boolean isInFlight = !engine.isLost(slot);
    if (isInFlight && shortLength < length) {
      former.onWithdrawn(length);
      isInFlight = false;
    } else if (isInFlight && former != path) {
      former.onWithdrawn(length);
      if (kind != Resend.MOVED && !selection.isHealthiest(engine.pathIndex(slot))) {
        former.countLost(nowNs);
      }
      isInFlight = false;
    }
    int sequence;
    if (isInFlight) {
      sequence = path.onTransmitted(slot, length, nowNs);
    } else {
      former.onLeaving();
      sequence = path.onSent(slot, shortLength, true, nowNs);
    }
    path.resends().count(former.resends(), kind == Resend.MOVED);
    former.expiry().onOldestChanged();
    path.expiry().onOldestChanged();
    path.loss().onResent(kind, nowNs);
    sent.onSent(nowNs);
    engine.onSent(slot, pathIndex, sequence, kind, nowNs);
    sent.counters().increment(counter(kind));
    builder.rewrite(engine.offset(slot), !isWindowed(kind), records);
    builder.stamp(engine.offset(slot), path.id(), sequence);
    stage(slot);
  }

  // The packet keeps its number, because nothing else would let the window advance. It keeps as
  // many records as fit. The others wait in the store for new numbers.
  private int shorten(int slot, int length, int lengthMax) {
    int shortLength =
        builder.shorten(
            engine.offset(slot),
            length,
            lengthMax,
            engine.token(slot),
            sent.repacked(engine.windowClass(slot)));
    engine.length(slot, shortLength);
    sent.counters().increment(CounterId.PACKETS_SHORTENED);
    return shortLength;
  }

  private static CounterId counter(Resend kind) {
    return switch (kind) {
      case PROBE -> CounterId.RETRANSMITS_PROBE;
      case TIMEOUT -> CounterId.RETRANSMITS_TIMEOUT;
      case MOVED -> CounterId.RETRANSMITS_MOVED;
      default -> CounterId.RETRANSMITS_EARLY;
    };
  }

  private void sendNew(PacketBurst out, RecordSource records, int pathIndex, long nowNs) {
    sendNew(WindowClass.REQUEST, out, records, pathIndex, nowNs);
    sendNew(WindowClass.DATA, out, records, pathIndex, nowNs);
  }

  private void sendNew(
      WindowClass windowClass, PacketBurst out, RecordSource records, int pathIndex, long nowNs) {
    if (sent.hasDisplaced(windowClass)) {
      RepackedRecords repacked = sent.repacked(windowClass);
      sendNew(windowClass, out, repacked.before(records), true, pathIndex, nowNs);
      repacked.settle();
      if (!repacked.isEmpty()) {
        return;
      }
    }
    sendNew(windowClass, out, records, false, pathIndex, nowNs);
  }

  private void sendNew(
      WindowClass windowClass,
      PacketBurst out,
      RecordSource records,
      boolean isDisplaced,
      int pathIndex,
      long nowNs) {
    TxWindow window = sent.window(windowClass);
    boolean hasMore = records.hasRecords(windowClass, nowNs);
    Path path = sent.path(pathIndex);
    int lengthMax = path.mtu().packetLengthMax();
    while (hasMore && !out.isFull()) {
      lengthMax = path.mtu().packetLengthMax();
      if (!sent.hasRoom(windowClass)) {
        bound(Bound.WINDOW);
        return;
      }
      if (!path.hasNewRoom(lengthMax, nowNs)) {
        onCongested(path);
        return;
      }
      int offset = engine.reserve(sent.lease(), lengthMax);
      if (offset == NONE && lengthMax > RetransmissionStore.UNIT_BYTES) {
        lengthMax = RetransmissionStore.UNIT_BYTES; // no block is free, but a unit may be
        offset = engine.reserve(sent.lease(), lengthMax);
      }
      if (offset == NONE && isDisplaced) {
        lengthMax = path.mtu().packetLengthLeast(); // short enough to displace nothing
        offset = engine.reserveLast(sent.lease(), lengthMax);
      }
      if (offset == NONE) {
        onStoreFull(nowNs);
        return;
      }
      isStoreFull = false;
      builder.packetLengthMax(lengthMax);
      int length =
          builder.build(windowClass, window.nsn(), offset, records, path.rtt().smoothedNs(), nowNs);
      if (length == 0) {
        engine.abandon(sent.lease());
        return;
      }
      int slot = sent.take(windowClass, offset, length);
      path.mtu().onBuilt(length, nowNs);
      int sequence = path.onSent(slot, length, false, nowNs);
      engine.onSent(slot, pathIndex, sequence, Resend.NO, nowNs);
      sent.onSent(nowNs);
      sent.counters().increment(CounterId.PACKETS_NUMBERED_SENT);
      builder.stamp(offset, path.id(), sequence);
      if (path.isRoundTripWanted()) {
        builder.requestAck(offset);
      }
      if (suspicion != null && builder.hasAckBlock(offset)) {
        acks.onBlockSent(pathIndex, nowNs);
      }
      stage(slot);
      out.add(engine.store().memory(), offset, length, pathIndex, engine.token(slot));
      hasMore = !out.isFull() || records.hasRecords(windowClass, nowNs);
    }
    // The burst is full and the caller comes again. But each call must find out whether this sender
    // is limited.
    if (hasMore && !sent.hasRoom(windowClass)) {
      bound(Bound.WINDOW);
    } else if (hasMore && !path.hasNewRoom(lengthMax, nowNs)) {
      bound(Bound.CONGESTION);
    }
  }

  private void onCongested(Path path) {
    bound(Bound.CONGESTION);
    long nextSendNs = path.room().nextSendNs();
    if (nextSendNs != Long.MAX_VALUE) {
      if (nextSendNs != pacedUntilNs) { // count each wait once
        pacedUntilNs = nextSendNs;
        sent.counters().increment(CounterId.PACED);
      }
      retryNs = Math.min(retryNs, nextSendNs);
    }
  }

  private void onStoreFull(long nowNs) {
    if (!isStoreFull) {
      isStoreFull = true;
      sent.counters().increment(CounterId.STORE_FULL);
    }
    retryNs = Math.min(retryNs, nowNs + RETRY_NS);
    bound(Bound.STORE);
  }

  /**
   * Makes the packet the burst's last so far. It may still change; the packet before it is sealed.
   */
  private void stage(int slot) {
    seal();
    stagedSlot = slot;
    bytesSinceAsked += engine.length(slot);
  }

  private void seal() {
    if (stagedSlot != NONE) {
      builder.seal(engine.offset(stagedSlot), engine.length(stagedSlot));
      stagedSlot = NONE;
    }
  }
}
