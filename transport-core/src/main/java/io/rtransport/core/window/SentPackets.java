package io.rtransport.core.window;

import io.rtransport.core.adp.NoProgressClock;
import io.rtransport.core.congestion.PathRoom;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.RetransmissionEngine.Resend;
import io.rtransport.core.wire.WindowClass;

/**
 * Sent packets of one connection that are not acknowledged. It holds both TX windows, the slots of
 * the packets in flight, their paths, and the packets to be resent. It keeps windows, engine, paths
 * and queue consistent when a packet is retired or judged lost.
 */
final class SentPackets implements LossDetector.LossListener {
  private static final int NONE = RetransmissionEngine.NONE;

  private final int cid;
  private final RetransmissionEngine engine;
  private final RetransmissionStore.Lease lease;
  private final TxWindow requests;
  private final TxWindow data;
  private final ProbeBudget probes;
  private final PathSet paths;
  private final NoProgressClock noProgress = new NoProgressClock();
  private final ResendQueue queue;
  private final Counters counters;
  private final long peerAckDelayNs;
  private final int agreedBytes;
  private boolean isFollowingPath;

  /** Null if no record was ever displaced. */
  private RepackedRecords displacedRequests;

  private RepackedRecords displacedData;

  SentPackets(
      WindowConfig config,
      RetransmissionEngine engine,
      ProbeBudget probes,
      Path[] first,
      Counters counters) {
    AgreedParameters agreed = config.agreed();
    InitialNumbers numbers = agreed.txNumbers();
    this.cid = config.localCid();
    this.engine = engine;
    this.probes = probes;
    this.lease = engine.open(config.packetLengthMax());
    this.requests =
        new TxWindow(
            numbers.requestPsn(), agreed.rx().requestWindow(), agreed.tx().requestWindow());
    this.data = new TxWindow(numbers.dataPsn(), agreed.rx().dataWindow(), agreed.tx().dataWindow());
    this.peerAckDelayNs = agreed.tx().ackDelayNsMax();
    this.agreedBytes = agreed.both().datagramLengthBytes();
    this.paths = new PathSet(first);
    for (Path path : first) {
      prepare(path);
    }
    this.queue = new ResendQueue(engine);
    this.counters = counters;
  }

  private void prepare(Path path) {
    path.peerAckDelayNs(peerAckDelayNs);
    if (path.mtu() == null) {
      path.mtu(PathMtuSearch.fixed(agreedBytes));
    }
  }

  RetransmissionEngine engine() {
    return engine;
  }

  /** Returns the loop's budget for resends without evidence of loss. */
  ProbeBudget probes() {
    return probes;
  }

  RetransmissionStore.Lease lease() {
    return lease;
  }

  TxWindow window(WindowClass windowClass) {
    return windowClass == WindowClass.REQUEST ? requests : data;
  }

  /** Limits the data window by the path: {@link WindowSublayer#followPath}. */
  void followPath() {
    isFollowingPath = true;
    data.limit(PathRoom.FAST_PATH_PACKETS);
  }

  /**
   * Returns whether one more packet fits into the window. If not, the limit is first updated from
   * the round trips of the usable paths: it is the sum of what each of them needs.
   */
  boolean hasRoom(WindowClass windowClass) {
    TxWindow window = window(windowClass);
    if (!window.hasRoom() && isFollowingPath && window == data) {
      int packets = 0;
      for (int rest = paths.usableMask(); rest != 0; rest &= rest - 1) {
        packets +=
            PathRoom.packets(
                PathRoom.FAST_PATH_PACKETS,
                Limits.WINDOW_PACKETS_MAX,
                paths.at(Integer.numberOfTrailingZeros(rest)).minRttNs());
      }
      data.limit(packets);
    }
    return window.hasRoom();
  }

  /** Returns how many more packets the window takes now. */
  int freePackets(WindowClass windowClass) {
    return hasRoom(windowClass) ? window(windowClass).freePackets() : 0;
  }

  PathSet paths() {
    return paths;
  }

  /** Returns a bound for path indexes. */
  int pathCount() {
    return paths.size();
  }

  /** Returns the path at an index, or null. */
  Path path(int index) {
    return paths.at(index);
  }

  /** Adds a path. */
  void open(int index, Path path) {
    prepare(path);
    paths.add(index, path);
  }

  /** Removes the paths that were closed and hold no packet any more. */
  void dropClosed() {
    for (int i = 0; i < paths.size(); i++) {
      Path path = paths.at(i);
      if (path != null && path.isClosing() && path.unacknowledgedCount() == 0) {
        paths.remove(i);
      }
    }
  }

  /** Returns the index of the path with this id, or NONE. */
  int pathIndex(int id) {
    return paths.indexOf(id);
  }

  /** Notes that a packet was sent. */
  void onSent(long nowNs) {
    noProgress.onOutstanding(nowNs);
  }

  /** Notes that packets were retired, on whatever path. */
  void onProgress(long nowNs) {
    noProgress.onProgress(nowNs, !isWindowEmpty());
  }

  /**
   * Returns the clock of the time without progress on any path. Packets that move to another path
   * neither start nor stop it.
   */
  NoProgressClock noProgress() {
    return noProgress;
  }

  private boolean isWindowEmpty() {
    return requests.isAllAcknowledged() && data.isAllAcknowledged();
  }

  /** Lets all packets of a path be resent on other paths. */
  void moveAway(int pathIndex) {
    moveAway(WindowClass.REQUEST, requests, pathIndex);
    moveAway(WindowClass.DATA, data, pathIndex);
  }

  private void moveAway(WindowClass windowClass, TxWindow window, int pathIndex) {
    Path path = paths.at(pathIndex);
    for (int psn = window.bsn(); psn != window.nsn(); psn++) {
      int slot = engine.lookup(cid, windowClass, psn);
      if (slot != NONE && engine.pathIndex(slot) == pathIndex) {
        path.ring().kill(engine.sequence(slot));
        if (!engine.isLost(slot)) {
          path.onWithdrawn(engine.length(slot));
          engine.lost(slot);
        }
        if (engine.pendingResend(slot) != Resend.EARLY) {
          if (queue.contains(slot)) {
            queue.remove(slot);
          }
          queue.addLast(slot, Resend.MOVED);
        }
      }
    }
  }

  ResendQueue queue() {
    return queue;
  }

  Counters counters() {
    return counters;
  }

  boolean isAllAcknowledged() {
    return isWindowEmpty() && !hasDisplaced(WindowClass.REQUEST) && !hasDisplaced(WindowClass.DATA);
  }

  /** Returns whether records taken out of packets too long for their path wait for new packets. */
  boolean hasDisplaced(WindowClass windowClass) {
    RepackedRecords repacked =
        windowClass == WindowClass.REQUEST ? displacedRequests : displacedData;
    return repacked != null && !repacked.isEmpty();
  }

  /** Returns the records taken out of packets too long for their path. */
  RepackedRecords repacked(WindowClass windowClass) {
    if (windowClass == WindowClass.REQUEST) {
      if (displacedRequests == null) {
        displacedRequests = new RepackedRecords(engine.store(), lease);
      }
      return displacedRequests;
    }
    if (displacedData == null) {
      displacedData = new RepackedRecords(engine.store(), lease);
    }
    return displacedData;
  }

  /** Takes the packet just built as the window's next. Returns its slot. */
  int take(WindowClass windowClass, int offset, int length) {
    probes.onSent();
    return engine.commit(lease, cid, windowClass, window(windowClass).take(), offset, length);
  }

  /** Retires the packets of one aligned word that an acknowledgement names for the first time. */
  void retire(WindowClass windowClass, int wordPsn, long bits, long nowNs) {
    int count = Long.bitCount(bits);
    if (count == 0) {
      return;
    }
    int[] slots = engine.removeWord(cid, windowClass, wordPsn, bits);
    for (int i = 0; i < count; i++) {
      retire(slots[i], nowNs);
    }
  }

  private void retire(int slot, long nowNs) {
    assert slot != NONE : "an unacknowledged packet has a slot";
    if (queue.contains(slot)) {
      queue.remove(slot);
    }
    Path path = paths.at(engine.pathIndex(slot));
    judge(slot, path, nowNs);
    if (engine.lastResend(slot) == Resend.TIMEOUT && path.onTimeoutResendAcknowledged(nowNs)) {
      counters.increment(CounterId.TIMEOUTS_SPURIOUS);
    }
    path.onRetired(engine.length(slot), engine.isLost(slot), nowNs);
    engine.free(lease, slot);
  }

  /**
   * Decides which transmission arrived. It is the last one, unless the packet was resent and the
   * path's highest sequence shows otherwise.
   */
  private void judge(int slot, Path path, long nowNs) {
    int sequence = engine.sequence(slot);
    boolean isResent = engine.isResent(slot);
    if (path.hasHighest() && path.isAboveHighest(sequence)) {
      path.ring().kill(sequence);
      if (isResent) {
        counters.increment(CounterId.RETRANSMITS_SPURIOUS);
        if (engine.lastResend(slot) != Resend.MOVED) { // that tells nothing about this path
          long tookNs = engine.isResentOnce(slot) ? nowNs - engine.firstSentNs(slot) : 0;
          path.onNeedless(engine.lastResend(slot) == Resend.EARLY, tookNs, nowNs);
        }
      }
    } else if (path.hasHighest() || !isResent) {
      path.onArrivalSeen();
      path.ring().acknowledge(sequence);
      onBlindResendArrived(slot, path, true, nowNs);
      if (path.mtu().onArrived(engine.length(slot), sequence, nowNs)) {
        onBlackHole(path);
      }
    } else {
      if (engine.lastResend(slot) != Resend.MOVED) {
        path.onArrivalSeen();
      }
      path.ring().kill(sequence);
      onBlindResendArrived(slot, path, false, nowNs);
    }
  }

  /**
   * Judges whether the arrived resend was needed. If not, the peer counts a duplicate. {@code
   * isProven} says that the peer would have reported it by now.
   */
  private void onBlindResendArrived(int slot, Path path, boolean isProven, long nowNs) {
    Resend kind = engine.lastResend(slot);
    if (kind != Resend.PROBE && kind != Resend.TIMEOUT) {
      return;
    }
    path.countLost(nowNs); // not when it is resent: the peer may only pause
    if (!path.blindResends().isNeeded()) {
      return;
    }
    if (isProven) {
      path.blindResends().onLoss(nowNs);
    }
    if (kind == Resend.PROBE) {
      probes.onNeeded();
      path.blindResends().onTokenReturned();
    }
  }

  @Override
  public void onLost(int slot, long nowNs) {
    if (engine.isLost(slot)) {
      return;
    }
    Path path = paths.at(engine.pathIndex(slot));
    path.onLost(engine.length(slot), engine.lastSentNs(slot), nowNs);
    if (path.mtu().onLost(engine.length(slot), engine.sequence(slot), nowNs)) {
      onBlackHole(path);
    }
    engine.lost(slot);
    queue.addLast(slot, Resend.EARLY);
  }

  private void onBlackHole(Path path) {
    counters.increment(CounterId.MTU_BLACK_HOLES);
    path.onMtuChanged();
  }

  /**
   * Returns the oldest unacknowledged packet of a path by its first send, other than {@code
   * except}, or NONE.
   */
  int oldest(int pathIndex, int except) {
    int request = oldest(WindowClass.REQUEST, requests, pathIndex, except);
    int datum = oldest(WindowClass.DATA, data, pathIndex, except);
    if (request == NONE || datum == NONE) {
      return request == NONE ? datum : request;
    }
    return engine.firstSentNs(request) <= engine.firstSentNs(datum) ? request : datum;
  }

  private int oldest(WindowClass windowClass, TxWindow window, int pathIndex, int except) {
    return engine.scan(cid, windowClass, window.bsn(), window.nsn(), pathIndex, except);
  }

  /** Gives back every slot, entry and byte because the connection ends. */
  void close() {
    close(WindowClass.REQUEST);
    close(WindowClass.DATA);
    if (displacedRequests != null) {
      displacedRequests.close();
    }
    if (displacedData != null) {
      displacedData.close();
    }
    engine.close(lease);
  }

  private void close(WindowClass windowClass) {
    TxWindow window = window(windowClass);
    for (int psn = window.bsn(); psn != window.nsn(); psn++) {
      int slot = engine.remove(cid, windowClass, psn);
      if (slot != NONE) {
        if (queue.contains(slot)) {
          queue.remove(slot);
        }
        paths.at(engine.pathIndex(slot)).onDropped(engine.length(slot), engine.isLost(slot));
        engine.free(lease, slot);
      }
    }
  }
}
