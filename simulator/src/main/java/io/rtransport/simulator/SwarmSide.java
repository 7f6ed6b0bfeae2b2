package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.window.Path;

/**
 * One end of a connection of a swarm: the connection, its application, and possible causes of its
 * death. It dies with its host, silently. Or it is told of its death, and then the reason must be
 * true.
 */
final class SwarmSide implements Wire, Application, Datagram.Sender {
  private final PacketBurst burst = new PacketBurst();

  /** Rounding of timeouts, which are told in whole milliseconds, ns. */
  private static final long ROUNDING_NS = 2_000_000;

  /** Idle time after which the window, and so its gap, has changed. */
  private static final long IDLE_NS = 1_000_000_000;

  final SwarmConnection whole;

  /** 0 = it connects, 1 = it accepts. */
  final int end;

  final SimSchedule schedule = new SimSchedule();
  final SimApplication application;
  final ResendWatch watch;
  private final SwarmWorld world;
  private final SwarmHost host;
  private final ConnectionConfig config;
  private Connection connection;
  private DirectPort port;
  private boolean isEstablished;
  private boolean isClosed;
  private boolean isCrashed;
  private boolean isWaitingForRoom;
  private int closeCode;
  private int incarnation;
  private int peerIncarnation;
  private long begunNs;
  private long numberedSeen;
  private long expiriesSeen;

  SwarmSide(SwarmConnection whole, int end, SwarmWorld world) {
    this.whole = whole;
    this.end = end;
    this.world = world;
    this.host = world.host(whole.hostOf(end));
    this.config = SimConfigs.of(whole.plan, end);
    WorldPlan plan = whole.plan;
    this.application =
        new SimApplication(end, plan, whole.workload, schedule, world.totals, whole.trace);
    application.checkReceipts(whole.independence::hasArrived);
    application.firstRsns(plan.firstRsns[end], plan.firstRsns[1 - end]);
    application.expectDeathAnyTime(index -> whole.observer.isBegun(end, index));
    if (plan.halfClosingHost == end) {
      application.finishAfterPlan();
    }
    int[] windows = {plan.requestWindows[1 - end], plan.dataWindows[1 - end]};
    this.watch = new ResendWatch(toString(), windows, 2 * whole.linkPlan().delayNs());
    whole.observer.known(end, plan, watch);
  }

  /**
   * Returns the burst for the datagrams that its host reads for it. It is valid until the next
   * read.
   */
  PacketBurst burst() {
    return burst;
  }

  ConnectionConfig config() {
    return config;
  }

  Connection connection() {
    return connection;
  }

  @Override
  public int cid() {
    return connection.cid();
  }

  void attach(Connection owned) {
    require(connection == null, Invariant.LIFE_CYCLE, "%s is accepted twice", this);
    connection = owned;
    incarnation = host.incarnations();
    peerIncarnation = whole.side(1 - end).host.incarnations();
    begunNs = world.nowNs;
    Node node = host.node();
    node.attach(owned, this, this);
    port = new DirectPort(owned, application, nowNs -> node.flush(owned, nowNs));
  }

  // ---- entries of the connection

  @Override
  public void onEntry(OutboxEntry entry) {
    switch (entry.kind()) {
      case ESTABLISHED -> onEstablished();
      case MOVED ->
          whole.trace.note(world.nowNs, "end " + end + " finds its peer at " + connection.remote());
      case PORT_CHANGED -> {} // no side of a swarm may
      case PEER_CHANGED -> {}
      case PEER_FINISHED -> onPeerFinished();
      case CLOSED -> onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
      case FORGOTTEN -> host.forget(this);
      default -> application.onEntry(entry);
    }
  }

  @Override
  public PushSupplier pushSupplier() {
    return application.pushSupplier();
  }

  private void onEstablished() {
    require(!isEstablished, Invariant.LIFE_CYCLE, "%s is established twice", this);
    isEstablished = true;
    host.guard().prove(connection.remote());
    watch.begin(world.nowNs);
    whole.trace.note(world.nowNs, "end " + end + " established");
    application.port(port);
    schedule.at(world.nowNs, application::submit);
    if (whole.plan.eventNs != Long.MAX_VALUE) {
      schedule.at(world.nowNs + whole.plan.eventNs, this::abort);
    }
  }

  private void abort() {
    if (isClosed || end != whole.plan.closingHost || whole.isClosing()) {
      return;
    }
    world.totals.count(SwarmEvent.ABORTS);
    whole.expectDeath();
    port.abort(300, "enough", world.nowNs);
    application.touch();
  }

  private void onPeerFinished() {
    whole.trace.inputEnded(end, world.nowNs);
    SimApplication peer = whole.side(1 - end).application;
    boolean wasSaid = peer.isFinished() || whole.isClosing();
    require(wasSaid, Invariant.END_OF_INPUT, "%s hears of it, and nobody said it", this);
    application.onEndOfInput(peer.submittedCount());
  }

  private void onClosed(CloseReason reason) {
    require(!isClosed, Invariant.LIFE_CYCLE, "%s is closed twice", this);
    isClosed = true;
    closeCode = reason.code();
    schedule.clear();
    whole.trace.closed(end, reason.code(), world.nowNs);
    application.stop();
    require(
        application.ends().count() == application.submittedCount(),
        Invariant.ONE_END,
        "%s closed (%d %s) with %d of %d transactions ended",
        this,
        reason.code(),
        reason.text(),
        application.ends().count(),
        application.submittedCount());
    if (!application.isDeathExpected() || reason.code() != 300) {
      checkReason(reason);
    }
    world.totals.count(SwarmEvent.UNKNOWN, application.ends().deathCount());
    world.totals.count(SwarmEvent.CUT_SHORT, application.cutShort());
    if (reason.code() != 0) {
      whole.onDeath();
    }
  }

  private void checkReason(CloseReason reason) {
    require(!ReadBytes.isReadIn(reason), Invariant.LATE_READ, "%s: %s", this, reason.text());
    if (reason.code() == 0) {
      require(
          application.deathSigns() == 0 || application.isDeathExpected(),
          Invariant.NO_LOSS,
          "%s closed in peace, with %d transactions dead",
          this,
          application.deathSigns());
      if (!application.isDeathExpected()) {
        require(
            application.hasEndOfInput(),
            Invariant.END_OF_INPUT,
            "%s closes and never heard of it",
            this);
        checkAtRest();
      }
      return;
    }
    SwarmSide peer = whole.side(1 - end);
    boolean isTold = reason.isByPeer() && peer.isClosed && peer.closeCode == reason.code();
    SwarmEvent event = isTold ? SwarmEvent.DEATHS_TOLD : deathOf(reason.code(), peer);
    require(
        event != null,
        Invariant.DEATH,
        "%s died of %d %s; its peer is %s, last heard %,d ns ago, last progress %,d ns ago",
        this,
        reason.code(),
        reason.text(),
        peer.state(),
        world.nowNs - watch.heardNs(),
        world.nowNs - watch.progressNs());
    world.totals.count(event);
  }

  /**
   * Returns the event to count for such a death; null if nothing that could cause it has happened.
   */
  private SwarmEvent deathOf(int code, SwarmSide peer) {
    long nowNs = world.nowNs;
    if (code == CloseCode.RETRY_EXCEEDED.code()) {
      return nowNs - watch.progressNs() >= whole.totalNs() ? SwarmEvent.DEATHS_RETRY : null;
    } else if (code == CloseCode.IDLE_TIMEOUT.code()) {
      boolean wasSilent = nowNs - watch.heardNs() >= whole.idleTimeoutNs() - ROUNDING_NS;
      return wasSilent ? SwarmEvent.DEATHS_IDLE : null;
    } else if (code == CloseCode.PEER_RESTARTED.code()) {
      return peer.isOfThePast() || hasPeerCrashedUnaware() ? SwarmEvent.DEATHS_RESTARTED : null;
    } else if (code == CloseCode.RESET.code()) {
      return peer.isAlive() ? null : SwarmEvent.DEATHS_RESET;
    } else if (code == CloseCode.CONNECT_TIMEOUT.code()) {
      // Of several RETRYs an initiator accepts the first. A target that restarts has another key.
      boolean isTime = nowNs - begunNs >= config.connectTimeoutNs();
      return isTime && whole.isTokenDemanded() ? SwarmEvent.CONNECT_TIMEOUTS : null;
    }
    return null;
  }

  // ---- the wire

  @Override
  public void transmit(PacketBurst burst, long nowNs) {
    for (int i = 0; i < burst.count(); i++) {
      world.send(
          this,
          connection.remote(burst.pathIndex(i)),
          burst.buffer(i),
          burst.offset(i),
          burst.length(i));
    }
    checkCongestion(burst);
  }

  /**
   * Checks a burst that has left with new packets last in it. Everything in flight must fit the
   * congestion window, which nothing has changed since. Resends alone may exceed it: those of
   * probes and expiries always, early ones as far as acknowledgements allow. One new packet at each
   * expiry may also exceed it, except at the first in a row.
   */
  private void checkCongestion(PacketBurst burst) {
    long numbered = connection.counters().value(CounterId.PACKETS_NUMBERED_SENT);
    if (numbered == numberedSeen) {
      return;
    }
    boolean isOne = numbered - numberedSeen == 1;
    numberedSeen = numbered;
    Path path = connection.window().path(0);
    long expiries = connection.counters().value(CounterId.TIMEOUTS);
    boolean isBesideExpiry = isOne && expiries != expiriesSeen && path.adp().timeoutsInRow() > 1;
    expiriesSeen = expiries;
    long flightBytes = path.inFlightBytes();
    long windowBytes = path.congestion().windowBytes();
    int lastBytes = burst.length(burst.count() - 1);
    // One packet always goes, and one next to short ones.
    boolean isBesideShort = flightBytes - lastBytes <= windowBytes / 2;
    long mostBytes = isBesideShort ? flightBytes : windowBytes;
    if (flightBytes > mostBytes && isBesideExpiry) {
      world.totals.count(SwarmEvent.BESIDE_EXPIRY);
      return;
    }
    if (flightBytes > mostBytes) {
      throw InvariantViolation.of(
          Invariant.CONGESTION,
          "%s has %d bytes in flight behind a new packet, in a congestion window of %d",
          this,
          flightBytes,
          windowBytes);
    }
    if (flightBytes == lastBytes) {
      checkGap(path.congestion().sendGapNs(watch.sentBeforeBytes()));
    }
    boolean isFull = flightBytes + lastBytes > windowBytes;
    world.totals.count(SwarmEvent.WINDOW_FULL, isFull ? 1 : 0);
  }

  /**
   * Checks the gap of a window below one packet. Since the packet before it, in either window, at
   * least the gap must have passed.
   */
  private void checkGap(long gapNs) {
    long sinceNs = world.nowNs - watch.sentBeforeNs();
    if (sinceNs < Math.min(gapNs, IDLE_NS)) {
      throw InvariantViolation.of(
          Invariant.PACING,
          "%s sends a new packet %,d ns after the one before, of a gap of %,d ns",
          this,
          sinceNs,
          gapNs);
    }
    world.totals.count(SwarmEvent.SPACED, gapNs > 0 ? 1 : 0);
  }

  @Override
  public boolean hasRoom(int pathIndex) {
    boolean hasRoom = roomAtNs() <= world.nowNs;
    isWaitingForRoom |= !hasRoom;
    return hasRoom;
  }

  private long roomAtNs() {
    return world.link(whole.link, end).roomAtNs();
  }

  /** Returns when the connection can go on that had no room. */
  long waitsUntilNs() {
    return isWaitingForRoom ? roomAtNs() : Long.MAX_VALUE;
  }

  void onRoom(long nowNs) {
    if (isWaitingForRoom && roomAtNs() <= nowNs) {
      isWaitingForRoom = false;
      host.node().flush(connection, nowNs);
    }
  }

  // ---- calls of the world

  /** Runs what its application has to do now. */
  void run(long nowNs) {
    if (application.run(nowNs) && !isClosed) {
      host.node().flush(connection, nowNs);
    }
  }

  void close(long nowNs) {
    port.close(0, "", nowNs);
    application.touch();
  }

  /** Records that its host has crashed and lost all state. */
  void crash() {
    isCrashed = !isClosed;
    schedule.clear();
    application.stop();
    if (isCrashed) {
      world.totals.count(SwarmEvent.CRASHED_ENDS);
      whole.onDeath();
    }
  }

  /** Checks this end after each turn of its host. */
  void check(long nowNs) {
    if (isClosed || isCrashed) {
      return;
    }
    whole.independence.check(end, application, nowNs);
    require(
        application.deathSigns() == 0 || application.isDeathExpected(),
        Invariant.NO_LOSS,
        "%s lives, and transactions of it are dead",
        this);
    long untakenBytes = application.untakenBytes();
    if (untakenBytes > 0 && untakenBytes > connection.solicitation().creditUsedBytes()) {
      throw InvariantViolation.of(
          Invariant.CREDIT,
          "%s has %,d bytes that its application has not taken, and holds credit for %,d",
          this,
          untakenBytes,
          connection.solicitation().creditUsedBytes());
    }
    int outstanding = application.submittedCount() - application.ends().count();
    if (!(outstanding <= whole.plan.outstandingMax)) {
      throw InvariantViolation.of(
          Invariant.MEMORY,
          "%s has %d transactions outstanding, of %d",
          this,
          outstanding,
          whole.plan.outstandingMax);
    }
  }

  /** Checks the times whenever time has passed. */
  void checkTimes(long nowNs) {
    if (isAlive()) {
      long pausedNs = world.pausedNs(whole.link);
      watch.onRoundTrip(world.roundTripNsMax(whole.link) + pausedNs);
      watch.onPaused(pausedNs);
      watch.checkNotForgotten(nowNs);
    }
  }

  /**
   * Returns whether its application has nothing left to do, such as taking bytes late, and its peer
   * has heard of all cancellations. A cancelled transaction ends here at once, and is charged at
   * the peer when the RESYNC arrives.
   */
  boolean isQuiet() {
    return schedule.nextNs() == Long.MAX_VALUE && connection.solicitation().givenUpCount() == 0;
  }

  /** Checks the accounts when every transaction of both sides has ended. */
  void checkAtRest() {
    host.core()
        .checkConnectionAtRest(
            connection, whole.observer.chargedBytes(1 - end), whole.plan.initialCreditBytes);
  }

  /** Checks that all payload taken from its application was released. */
  void checkReleases() {
    if (isCrashed) {
      return;
    }
    for (PlannedTransaction own : whole.workload.of(end)) {
      boolean hasSource = own.isPush() && own.isSubmitted;
      require(!hasSource || own.isReleased, Invariant.ONE_END, "%s is never released", own);
    }
    for (PlannedTransaction peers : whole.workload.of(1 - end)) {
      boolean hasSource = !peers.isPush() && peers.isAnswered;
      require(!hasSource || peers.isReleased, Invariant.ONE_END, "%s is never released", peers);
    }
  }

  boolean isEstablished() {
    return isEstablished;
  }

  /** Returns whether it is established and not ended. */
  boolean isAlive() {
    return isEstablished && !isClosed && !isCrashed;
  }

  /** Returns whether it has ended in any way. */
  boolean isOver() {
    return isClosed || isCrashed;
  }

  /** Returns whether its host has crashed since, with it or after its end. */
  private boolean isOfThePast() {
    return isCrashed || isClosed && host.incarnations() > incarnation;
  }

  /**
   * Returns whether the peer's host has crashed since this end began, and knew of this connection
   * only by a handshake that it could not finish.
   */
  private boolean hasPeerCrashedUnaware() {
    SwarmSide peer = whole.side(1 - end);
    return peer.connection == null && peer.host.incarnations() > peerIncarnation;
  }

  boolean isCrashed() {
    return isCrashed;
  }

  String state() {
    return isCrashed
        ? "crashed"
        : isClosed ? "closed " + closeCode : isEstablished ? "established" : "not established";
  }

  @Override
  public String toString() {
    return "connection "
        + whole.link
        + "."
        + whole.number
        + " at host "
        + whole.hostOf(end)
        + (end == 0 ? " (connects)" : " (accepts)");
  }
}
