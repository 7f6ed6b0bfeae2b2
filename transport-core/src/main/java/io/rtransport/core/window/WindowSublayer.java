package io.rtransport.core.window;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.congestion.PathRoom;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * The sliding-window sublayer of one connection. Every numbered packet of the peer is handed up
 * exactly once. Every numbered packet of this side is resent until the peer has it. Each direction
 * has two windows, requests and data, which never wait for each other. All paths share one packet
 * number space.
 *
 * <p>Its parts decide; this class holds the sequence:
 *
 * <pre>
 *   PacketIntake ──▶ AcknowledgementReader ──▶ SentPackets: TxWindow ×2, ResendQueue, PathSet,
 *      │                                          RetransmissionEngine (CAM a)
 *      │                                      │
 *      │ Path: RttEstimator, TransmissionRing, LossDetector, AdpTimer, CongestionControl
 *      └──▶ RxWindow ×2 ──▶ AckScheduler      │
 *                             │           WindowTimers ◀── onTimeout
 *   pollAck ◀─────────────────┤               │
 *   pollTransmit ◀── Transmitter ◀── PacketBuilder ◀── RecordSource
 *                       ▲
 *   several paths: PathSelection, PathWatch (Suspicion, HealthyPaths, PathRecovery)
 * </pre>
 *
 * <p>Order of calls: {@link #onBurst} for the packets that were read. At the end of the read batch,
 * or after {@link #onTimeout}, call {@link #pollTransmit} until a burst comes back empty. Then call
 * {@link #pollAck} while {@link #hasAckDue}, and arm {@link #nextDeadlineNs}. After the numbered
 * packets, a separate ACK is often unnecessary. Loop-confined. No call allocates in the steady
 * state.
 */
public final class WindowSublayer implements AcknowledgementView {
  private final SentPackets sent;
  private final AcknowledgementReader reader;
  private final PacketIntake intake;
  private final PathTotals totals;
  private final RxWindow requests;
  private final RxWindow data;
  private final AckScheduler acks;
  private final PacketBuilder builder;
  private final Transmitter transmitter;
  private final WindowTimers timers;
  private final Counters counters;
  private final long peerAckDelayNsMax;

  /** Null until a second path is opened. */
  private PathWatch watch;

  private long creditLimitBytes;

  /**
   * Flyweights shared by the connections of the event loop. Only one connection at a time writes
   * packets.
   */
  private final Flyweights writing;

  private boolean isUpperToBeTold;
  private WindowFailure failure;
  private boolean isClosed;

  /**
   * Creates the sublayer of one connection.
   *
   * @param engine the event loop's engine
   * @param probes the event loop's probe budget
   * @param paths the first ones; at least one. A path's index here is its index in bursts
   * @param tools the event loop's tools
   */
  public WindowSublayer(
      WindowConfig config,
      RetransmissionEngine engine,
      ProbeBudget probes,
      Path[] paths,
      PacketTools tools,
      Counters counters) {
    this.counters = counters;
    this.peerAckDelayNsMax = config.agreed().tx().ackDelayNsMax();
    this.writing = tools.writing();
    this.sent = new SentPackets(config, engine, probes, paths.clone(), counters);
    this.reader = new AcknowledgementReader(sent);
    DirectionParameters given = config.agreed().rx();
    InitialNumbers peers = config.agreed().rxNumbers();
    this.requests = new RxWindow(peers.requestPsn(), given.requestWindow());
    this.data = new RxWindow(peers.dataPsn(), given.dataWindow());
    this.acks = new AckScheduler(requests, data, given.ackDelayNsMax(), tools.writing().ack);
    this.intake = new PacketIntake(reader, requests, data, acks, counters, tools.reading());
    this.totals = new PathTotals(sent.paths());
    this.builder = new PacketBuilder(config, engine.store().memory(), requests, data, acks, tools);
    this.transmitter = new Transmitter(sent, builder, acks);
    this.timers = new WindowTimers(sent);
  }

  // ---- several paths

  /**
   * Opens a path. It takes packets once a PING on it was answered.
   *
   * @param pathIndex an index below {@link Limits#PATHS_MAX} that no open path has
   * @param random draws the intervals between PINGs
   */
  public void openPath(int pathIndex, Path path, RandomGenerator random, long nowNs) {
    if (isClosed) {
      return;
    }
    if (watch == null) {
      watch = new PathWatch(sent, random);
      transmitter.watch(watch.suspicion(), watch.healthy());
      intake.watch(watch);
      acks.followSeveralPaths();
    }
    sent.dropClosed();
    sent.open(pathIndex, path);
    watch.onOpened(pathIndex, nowNs);
  }

  /**
   * Closes a path: it takes no more packets, and those on it are resent elsewhere.
   *
   * @return whether it is closed; false for the only path left
   */
  public boolean closePath(int pathIndex, long nowNs) {
    PathSet paths = sent.paths();
    if (isClosed || paths.isSingle()) {
      return isClosed;
    }
    if (!paths.hasOtherUsable(pathIndex)) {
      paths.usable(paths.otherThan(pathIndex), true); // better a suspect path than none
    }
    watch.onClosing(pathIndex);
    paths.usable(pathIndex, false);
    sent.path(pathIndex).onClosing();
    sent.moveAway(pathIndex);
    return true;
  }

  /** Returns one bit for each index of a path that was closed and still has packets. */
  public int heldPaths() {
    sent.dropClosed();
    int held = 0;
    for (int i = 0; i < sent.pathCount(); i++) {
      held |= sent.path(i) != null && sent.path(i).isClosing() ? 1 << i : 0;
    }
    return held;
  }

  /** Returns the index of the path for packets that have no rule of their own. */
  public int bestPath() {
    return transmitter.bestPath();
  }

  /**
   * Returns one bit for each path on which the next {@link #pollAck} leaves. Call before it. With
   * several paths, an acknowledgement leaves on each by which packets came.
   */
  public int ackPaths() {
    return acks.paths(sent.paths().usableMask(), bestPath());
  }

  /**
   * Sets the health of the interfaces at both ends of a path. Without this call the path counts as
   * healthy.
   */
  public void health(int pathIndex, PairHealth ofBothEnds) {
    sent.path(pathIndex).health(ofBothEnds);
    if (watch != null) {
      watch.onEndsChanged(pathIndex);
    }
  }

  /** Handles a report that a path does not work, as anybody can forge it: the path is asked. */
  public void onPathReported(int pathIndex, long nowNs) {
    if (watch != null && !isClosed && path(pathIndex) != null) {
      watch.onReported(pathIndex, nowNs);
    }
  }

  /** Handles a packet that the system did not take, for a reason that says nothing of the peer. */
  public void onPathRefused(int pathIndex, long nowNs) {
    if (watch != null && !isClosed && path(pathIndex) != null) {
      watch.onRefused(pathIndex, nowNs);
    }
  }

  /** Returns the UDP payload of the next PING on a path, in bytes. */
  public int pathPingBytes(int pathIndex) {
    return watch.pingBytes(pathIndex);
  }

  /** Returns the index of a path on which a PING leaves now; −1: none. */
  public int duePathPing(long nowNs) {
    return watch == null || isClosed || failure != null ? -1 : watch.duePing(nowNs);
  }

  /**
   * Notes that a PING left on a path.
   *
   * @param id its id, which nobody can guess
   */
  public void onPathPinged(int pathIndex, int id, long nowNs) {
    watch.onPinged(pathIndex, id, nowNs);
  }

  /**
   * Limits the data window by the path's length. On a path of up to {@link PathRoom#FAST_PATH_NS}
   * at most {@link PathRoom#FAST_PATH_PACKETS} are in flight. On a longer path the limit grows in
   * proportion to the round trip, up to the windows of both sides. Without this call the whole
   * window is used at once.
   */
  public void followPath() {
    sent.followPath();
  }

  /**
   * Handles received packets: acknowledgements, and numbered packets for the receive windows. Drops
   * duplicates, packets above the window, and packets with an impossible acknowledgement from the
   * burst. Other packets pass.
   */
  public void onBurst(PacketBurst burst, long nowNs) {
    afterAcknowledgements(intake.onBurst(burst, nowNs), nowNs);
  }

  /**
   * Handles the acknowledgements of a burst.
   *
   * @param arrivals one bit for each path that a packet of the burst came by
   */
  private void afterAcknowledgements(int arrivals, long nowNs) {
    if (reader.hasFailed()) {
      fail(WindowFailure.PROTOCOL_ERROR);
    }
    if (reader.takeNews()) {
      isUpperToBeTold = true;
      boolean isSingle = sent.paths().isSingle();
      for (int i = 0; i < sent.pathCount(); i++) {
        if (sent.path(i) != null) {
          sent.path(i).loss().detect(sent, isSingle || (arrivals >>> i & 1) != 0, nowNs);
        }
      }
      if (watch != null) {
        watch.judge(nowNs);
        sent.dropClosed();
      }
    }
  }

  /**
   * Returns whether the last packets show that the peer hears none of this side's acknowledgements.
   * The next call returns false, unless they show it again.
   */
  public boolean takeUnheard() {
    return intake.takeUnheard();
  }

  /** Returns whether the timer of a path has expired twice in a row, or more often. */
  public boolean isSilentTwice(int pathIndex) {
    Path path = path(pathIndex);
    return path != null && path.adp().timeoutsInRow() > 1;
  }

  /** Returns whether an ACK packet must be sent now. */
  public boolean hasAckDue(long nowNs) {
    return !isClosed && acks.isDue(nowNs);
  }

  /** Makes an acknowledgement due now. The first one confirms a handshake at its target. */
  public void forceAck(long nowNs) {
    acks.force(nowNs);
  }

  /**
   * Writes an ACK packet of at most 396 bytes, including the checksum.
   *
   * @return its length, or 0 if none is due
   */
  public int pollAck(ByteBuffer to, int offset, long nowNs) {
    if (!hasAckDue(nowNs)) {
      return 0;
    }
    counters.increment(CounterId.ACKS_SENT);
    acks.onOwnPacket(nowNs);
    return builder.writeAck(to, offset, creditLimitBytes, totals.smoothedRttNs(), nowNs);
  }

  /**
   * Sets the credit limit for the next ACK packet, in bytes. {@link #pollTransmit} takes it from
   * its source.
   */
  public void creditLimitBytes(long cumulative) {
    creditLimitBytes = cumulative;
  }

  /**
   * Fills a burst with the packets that may leave now: resends, then new packets, requests before
   * data. Tells {@code records} first if packets were acknowledged. On return every packet counts
   * as sent.
   *
   * @param out an empty burst; if it is full on return, there is more to come
   * @param room one bit for each path: whether the port below it accepts a packet
   */
  public void pollTransmit(PacketBurst out, RecordSource records, int room, long nowNs) {
    if (isClosed || failure != null) {
      return;
    }
    if (watch != null) {
      watch.room(room, nowNs);
    }
    if (isUpperToBeTold) {
      isUpperToBeTold = false;
      records.onAcknowledged(this, nowNs);
    }
    assert writing.begin() : "a payload source made another connection of its event loop transmit";
    try {
      transmitter.pump(out, records, room, nowNs);
    } finally {
      assert writing.end();
    }
    creditLimitBytes = records.creditLimitBytes();
  }

  /**
   * Handles the timers that are due. {@link #pollTransmit} then sends the result. The caller must
   * first receive the packets that the socket holds.
   */
  public void onTimeout(long nowNs) {
    if (isClosed || failure != null) {
      return;
    }
    if (nowNs >= transmitter.retryNs()) {
      transmitter.onRetry();
    }
    for (int i = 0; i < sent.pathCount(); i++) {
      Path path = sent.path(i);
      if (path != null && path.mtu().onTimeout(path.progressNs(), nowNs)) {
        counters.increment(CounterId.MTU_PROBES_LOST);
      }
    }
    if (watch != null) {
      watch.judge(nowNs);
    }
    if (timers.onTimeout(nowNs)) {
      if (watch != null) {
        watch.onGivenUp(nowNs);
      }
      fail(WindowFailure.RETRY_EXCEEDED);
    }
  }

  /**
   * Returns when {@link #onTimeout}, {@link #hasAckDue} or {@link #pollTransmit} has work without
   * input; MAX_VALUE for never.
   */
  public long nextDeadlineNs() {
    if (isClosed || failure != null) {
      return Long.MAX_VALUE;
    }
    long soonest = Math.min(acks.deadlineNs(), transmitter.retryNs());
    for (int i = 0; i < sent.pathCount(); i++) {
      if (sent.path(i) != null) {
        soonest = Math.min(soonest, sent.path(i).mtu().deadlineNs());
      }
    }
    if (watch != null) {
      soonest = Math.min(soonest, watch.deadlineNs());
    }
    return Math.min(soonest, timers.nextDeadlineNs());
  }

  /** Returns whether {@link #pollMtuProbe} may have a length to try. */
  public boolean isMtuProbeDue(int pathIndex) {
    Path path = pathIndex < sent.pathCount() ? sent.path(pathIndex) : null;
    return path != null && sent.paths().isUsable(pathIndex) && path.mtu().isProbeDue();
  }

  /**
   * Returns the length of a PING that leaves now on path {@code pathIndex}, to test whether such
   * datagrams pass. Returns 0 for none. The PING counts as sent.
   *
   * @param id the PING's id, which nobody can guess
   */
  public int pollMtuProbe(int pathIndex, int id, long nowNs) {
    if (isClosed || failure != null) {
      return 0;
    }
    Path path = sent.path(pathIndex);
    int length =
        path.mtu()
            .pollProbe(id, path.unacknowledgedCount() > 0, path.answerNs(peerAckDelayNsMax), nowNs);
    if (length > 0) {
      counters.increment(CounterId.MTU_PROBES_SENT);
    }
    return length;
  }

  /**
   * Handles a PONG with this id. Returns whether it answers a probe of the path MTU, or a PING that
   * {@link #duePathPing} asked for.
   *
   * @param arrivalIndex index of the path that it came by; −1 for none
   */
  public boolean onPong(int id, int arrivalIndex, long nowNs) {
    if (watch != null && arrivalIndex >= 0 && watch.onPong(arrivalIndex, id, nowNs)) {
      return true;
    }
    for (int i = 0; i < sent.pathCount(); i++) {
      if (sent.path(i) != null && sent.path(i).mtu().onAnswer(id)) {
        counters.increment(CounterId.MTU_PROBES_ANSWERED);
        sent.path(i).onMtuChanged();
        return true;
      }
    }
    return false;
  }

  /**
   * Handles a round trip measured by other means, at set-up.
   *
   * @param rttNs the round trip in nanoseconds
   */
  public void onRttSample(int pathIndex, long rttNs, long nowNs) {
    sent.path(pathIndex).onRttSample(rttNs, nowNs);
  }

  /**
   * Handles a change of the address to which a path sends.
   *
   * @param isOtherHost whether the address may be another host's
   * @param rttNs the approximate round trip to that host in nanoseconds
   */
  public void onPathMoved(int pathIndex, boolean isOtherHost, long rttNs, long nowNs) {
    sent.path(pathIndex).onMoved(isOtherHost, rttNs, nowNs);
  }

  /** Returns the path at an index below {@link Limits#PATHS_MAX}; null: none is open there. */
  public Path path(int pathIndex) {
    return pathIndex < sent.pathCount() ? sent.path(pathIndex) : null;
  }

  /** Returns one bit for each path that is open and not suspect; at least one. */
  public int usablePaths() {
    return sent.paths().usableMask();
  }

  /** Returns the measures of all usable paths together. */
  public PathTotals totals() {
    return totals;
  }

  /** Returns how long a packet sent now would wait for its acknowledgement, as {@link #totals}. */
  public long retransmissionTimeoutNs() {
    return totals.timeoutNs();
  }

  /** Returns the UDP payload of the longest packet that leaves on the best path, in bytes. */
  public int datagramLengthBytes() {
    return sent.path(bestPath()).mtu().bytes();
  }

  /** Returns whether all packets of both directions are acknowledged. */
  public boolean isIdle() {
    return isAllAcknowledged() && !acks.isOwed();
  }

  /** Returns whether packets of the peer are missing below the highest received. */
  public boolean hasGap() {
    return requests.hasGap() || data.hasGap();
  }

  /**
   * Returns whether nothing was received beyond the bases, nothing unsent was acknowledged, and no
   * acknowledgement is owed or awaited.
   */
  public boolean isUntouched() {
    return isIdle() && !hasGap() && !reader.hasRefused();
  }

  /**
   * Returns whether records waited for the congestion window at the end of the pump before the
   * last. Also true if packets were lost within a round trip before that. It is for callers inside
   * a pump, which the pump asks for records.
   */
  public boolean isCongested() {
    return transmitter.isCongested();
  }

  /**
   * Returns the room for which records waited in the last pump; {@link Bound#NONE} if no records
   * waited.
   */
  public Bound bound() {
    return transmitter.bound();
  }

  /** Returns the next packet number that this side uses in a window. */
  public int nextPsn(WindowClass windowClass) {
    return sent.window(windowClass).nsn();
  }

  /**
   * Returns the lowest unacknowledged packet number of this side in a window. The peer has all
   * packets below it.
   */
  public int acknowledgedBase(WindowClass windowClass) {
    return sent.window(windowClass).bsn();
  }

  /** Returns the lowest packet number of the peer not received in a window. */
  public int receivedBase(WindowClass windowClass) {
    return (windowClass == WindowClass.REQUEST ? requests : data).base();
  }

  @Override
  public boolean isAcknowledged(WindowClass windowClass, int psn) {
    return sent.window(windowClass).isAcknowledged(psn);
  }

  @Override
  public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
    return acknowledgedBase(windowClass) - psn > 0 && !sent.hasDisplaced(windowClass);
  }

  @Override
  public boolean isAllAcknowledged() {
    return sent.isAllAcknowledged();
  }

  /** Returns why the window cannot continue; null while it can. */
  public WindowFailure failure() {
    return failure;
  }

  private void fail(WindowFailure reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  /** Gives back every slot, CAM entry and byte. Afterwards nothing is received, sent or timed. */
  public void close() {
    if (!isClosed) {
      isClosed = true;
      sent.close();
    }
  }
}
