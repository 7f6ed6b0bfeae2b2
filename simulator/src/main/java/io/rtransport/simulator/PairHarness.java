package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.burst.PacketBurst;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import java.util.function.IntToLongFunction;

/**
 * World of two hosts and their applications. {@link #connect}, {@link #drive} and {@link #close}
 * make things happen until their goal is reached, within bounds.
 */
public final class PairHarness extends SimWorld {
  /**
   * Creates the hosts of a world: over direct links here, over channels in transport-netty's tests.
   */
  public interface HostFactory {
    /** Creates host {@code host} of {@code harness}. */
    SimHost create(int host, PairHarness harness);
  }

  /** Virtual time at the start. Any number is valid: a loop's clock has no origin. */
  public static final long START_NS = 1_000_000_000L;

  /**
   * Virtual time without a byte written, a delivery or an end, while some are awaited, that is too
   * long.
   */
  private static final long SILENCE_NS_MAX = 60_000_000_000L;

  /** Least number of packets of a world. */
  static final int PACKETS_MIN = 2_000;

  private static final int EXTENSION = 50;

  /** Transactions that the other host begins while one closes. */
  private static final int LATE = 12;

  private final WorldPlan plan;
  private final SimTrace trace;
  private final Workload workload;
  private final Independence independence;
  private final WireObserver observer;
  private final SimLink[] links = new SimLink[2];
  private final SimMoves moves;
  private final AddressGuard guard = new AddressGuard();
  private final WireView view = new WireView();
  private final SimSchedule[] schedules = {new SimSchedule(), new SimSchedule()};
  private final SimApplication[] applications = new SimApplication[2];
  private final SimHost[] hosts = new SimHost[2];
  private final boolean[] isEstablished = new boolean[2];
  private final boolean[] isClosed = new boolean[2];
  private boolean isClosing;
  private final int[] closeCodes = new int[2];
  private final PacketBurst burst = new PacketBurst();
  private final Datagram[] read = new Datagram[PacketBurst.CAPACITY];

  private long progressSeen;
  private long progressNs = START_NS;

  public PairHarness(WorldPlan plan, SimTotals totals, SimTrace trace, HostFactory factory) {
    super(START_NS, totals);
    this.plan = plan;
    this.trace = trace;
    this.workload = new Workload(plan);
    this.independence = new Independence(plan.isOrdered);
    this.observer = new WireObserver(workload, totals, trace, independence);
    this.moves = new SimMoves(plan);
    guard.prove(SimAddresses.of(0));
    for (int i = 0; i < 2; i++) {
      link(i);
      schedules[i].now(START_NS);
      applications[i] = new SimApplication(i, plan, workload, schedules[i], totals, trace);
      applications[i].checkReceipts(independence::hasArrived);
      applications[i].firstRsns(plan.firstRsns[i], plan.firstRsns[1 - i]);
    }
    if (plan.halfClosingHost >= 0) {
      applications[plan.halfClosingHost].finishAfterPlan();
    }
    for (int i = 0; i < 2; i++) {
      hosts[i] = factory.create(i, this);
    }
  }

  private void link(int from) {
    links[from] = network.connect(0, from, plan.faults, plan.seed);
    links[from].mtu(plan.mtuLater[from]);
    links[from].narrow(plan.mtuFirst[from], START_NS + plan.mtuChangeNs);
    if (moves.isMoving() && from == 0) {
      links[from].forge(plan.forged, SimRandom.fork(plan.seed, "forged"));
    }
  }

  private InetSocketAddress addressOf(int host) {
    return host == 0 ? moves.current(nowNs) : SimAddresses.of(host);
  }

  @Override
  int socketAt(Datagram datagram) {
    int host = 1 - datagram.link.direction;
    return datagram.destination.equals(addressOf(host)) ? host : -1;
  }

  // Calls of a host.

  public WorldPlan plan() {
    return plan;
  }

  public SimApplication application(int host) {
    return applications[host];
  }

  /** Has the RSNs of {@code host}'s transactions told by its posts: {@link RsnIndexes#numbers}. */
  public void numbers(int host, IntToLongFunction rsns) {
    workload.rsns(host).numbers(rsns);
  }

  /** Returns the source of datagram {@code i} of the burst that a host reads now. */
  InetSocketAddress source(int i) {
    return read[i].source;
  }

  /** Returns when the socket buffer of {@code host} has room; a past time if it has some now. */
  long roomAtNs(int host) {
    return links[host].roomAtNs();
  }

  public long nowNs() {
    return nowNs;
  }

  /** Puts a datagram of host {@code host} on the wire. */
  public void send(int host, ByteBuffer buffer, int offset, int length) {
    send(host, buffer, offset, length, SimAddresses.of(1 - host));
  }

  /**
   * Puts a datagram on the wire like {@link #send(int, ByteBuffer, int, int)}, to an address that
   * may not be the other host's.
   */
  void send(int host, ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
    observer.onSent(host, buffer, offset, length, nowNs);
    if (host == 1) {
      guard.onSent(to, view.wrap(buffer, offset, length), length);
    }
    network.send(links[host], null, addressOf(host), to, buffer, offset, length, nowNs);
  }

  public void onEstablished(int host) {
    require(!isEstablished[host], Invariant.LIFE_CYCLE, "host %d is established twice", host);
    isEstablished[host] = true;
    trace.note(nowNs, "host " + host + " established");
    // The application starts in its own turn, like one that is told by a promise.
    applications[host].port(hosts[host].port());
    schedules[host].at(nowNs, applications[host]::submit);
  }

  /** Tells of the end of {@code host}'s input. */
  public void onPeerFinished(int host) {
    trace.inputEnded(host, nowNs);
    SimApplication peer = applications[1 - host];
    boolean wasSaid = peer.isFinished() || isClosing;
    require(wasSaid, Invariant.END_OF_INPUT, "host %d hears of it, and nobody said it", host);
    applications[host].onEndOfInput(peer.submittedCount());
  }

  public void onClosed(int host, int code, String text) {
    require(!isClosed[host], Invariant.LIFE_CYCLE, "host %d is closed twice", host);
    isClosed[host] = true;
    closeCodes[host] = code;
    trace.closed(host, code, nowNs);
    SimApplication application = applications[host];
    application.stop();
    require(
        application.ends().count() == application.submittedCount(),
        Invariant.ONE_END,
        "host %d closed (%d %s) with %d of %d transactions ended",
        host,
        code,
        text,
        application.ends().count(),
        application.submittedCount());
    boolean isExpected = application.isDeathExpected() || code == 0;
    require(isExpected, Invariant.LIFE_CYCLE, "host %d closed: %d %s", host, code, text);
    if (!application.isDeathExpected()) {
      // A closed channel is told nothing more.
      boolean isDeaf = plan.scenario == WorldPlan.Scenario.CHANNEL && host == plan.closingHost;
      boolean isHeard = application.hasEndOfInput() || isDeaf;
      require(isHeard, Invariant.END_OF_INPUT, "host %d closes and never heard of it", host);
      hosts[host].checkAtRest(observer.chargedBytes(1 - host));
    }
  }

  // Calls of a test.

  /** Runs the whole life of the world: set-up, workload, close, and the checks at the end. */
  public void run() {
    connect();
    drive();
    close();
  }

  /** Sets the connection up. */
  public void connect() {
    hosts[1].start(nowNs);
    hosts[0].start(nowNs);
    until(() -> isEstablished[0] && isEstablished[1], Invariant.LIFE_CYCLE, "set-up");
    moves.begin(nowNs);
    for (int i = 0; i < 2; i++) {
      int host = i;
      if (plan.eventNs != Long.MAX_VALUE) {
        schedules[i].at(nowNs + plan.eventNs, () -> onEvent(host));
      }
    }
  }

  /**
   * Runs the workload to its end, extended until there were {@link #PACKETS_MIN} packets, or until
   * both sides are closed.
   */
  public void drive() {
    until(this::isDone, Invariant.PROGRESS, "the workload");
    boolean isWhole = plan.keptTransactions == Integer.MAX_VALUE;
    while (isWhole && totals.packets < PACKETS_MIN && !isClosed[0] && !isClosed[1]) {
      long gapNs = Math.max(50_000, plan.faults[0].delayNs() / 8);
      for (int i = 0; i < 2; i++) {
        if (!applications[i].isFinished()) {
          workload.extend(i, EXTENSION, nowNs, gapNs);
          schedules[i].at(nowNs, applications[i]::submit);
        }
      }
      until(this::isDone, Invariant.PROGRESS, "the extended workload");
    }
    until(this::isAtPeace, Invariant.PROGRESS, "the applications' last actions");
    for (int i = 0; i < 2; i++) {
      if (!isClosed[i] && !applications[i].isDeathExpected()) {
        hosts[i].checkAtRest(observer.chargedBytes(1 - i));
      }
    }
  }

  /** Returns whether no application has anything left to do, such as taking bytes late. */
  private boolean isAtPeace() {
    boolean isQuiet =
        schedules[0].nextNs() == Long.MAX_VALUE && schedules[1].nextNs() == Long.MAX_VALUE;
    return isQuiet || isClosed[0] && isClosed[1];
  }

  private boolean isDone() {
    boolean hasEnded = applications[0].isDone() && applications[1].isDone();
    return hasEnded || isClosed[0] && isClosed[1];
  }

  /** Closes the connection, waits for both sides, and checks that nothing is left. */
  public void close() {
    if (plan.isClosedByHalves && !isClosed[0] && !isClosed[1]) {
      finishOther();
    } else if (!isClosed[plan.closingHost]) {
      int first = plan.closingHost;
      long closeNs = beginLate(1 - first);
      schedules[first].at(
          closeNs,
          () -> {
            if (!isClosed[first]) {
              isClosing = true;
              for (SimApplication application : applications) {
                application.expectRefusals();
              }
              hosts[first].port().close(0, "", nowNs);
              applications[first].touch();
            }
          });
    }
    until(() -> isClosed[0] && isClosed[1], Invariant.LIFE_CYCLE, "the close");
    until(this::isAtRest, Invariant.PROGRESS, "rest after the close");
    for (int i = 0; i < 2; i++) {
      hosts[i].check(true);
      hosts[i].count(totals);
      checkReleases(i);
    }
    observer.onOver();
    totals.worlds++;
    totals.count(plan.congestion);
    totals.unorderedWorlds += plan.isOrdered ? 0 : 1;
  }

  /**
   * Begins the second half-close, after some more transactions. The connection must then close by
   * itself.
   */
  private void finishOther() {
    int other = 1 - plan.halfClosingHost;
    workload.extend(other, LATE, nowNs, plan.faults[other].delayNs() / LATE);
    applications[other].finishAfterPlan();
    schedules[other].at(nowNs, applications[other]::submit);
    totals.closedByHalves++;
  }

  /**
   * Lets {@code host} begin more transactions just when the other closes, so that some are taken
   * and others refused. Returns when to close.
   */
  private long beginLate(int host) {
    boolean isWhole = plan.keptTransactions == Integer.MAX_VALUE;
    boolean isOver = isClosed[host] || applications[host].isFinished();
    if (!isWhole || plan.scenario == WorldPlan.Scenario.CHANNEL || isOver) {
      return nowNs;
    }
    long delayNs = plan.faults[host].delayNs();
    workload.extendLate(host, LATE, nowNs, delayNs / LATE);
    schedules[host].at(nowNs, applications[host]::submit);
    return nowNs + delayNs + delayNs / 4;
  }

  private boolean isAtRest() {
    return nextNs() == Long.MAX_VALUE;
  }

  private void checkReleases(int host) {
    for (PlannedTransaction own : workload.of(host)) {
      boolean hasSource = own.isPush() ? own.isSubmitted : own.isAnswered;
      require(!hasSource || own.isReleased, Invariant.ONE_END, "%s is never released", own);
    }
  }

  private void onEvent(int host) {
    if (isClosed[host]) {
      return;
    }
    for (SimApplication application : applications) {
      application.expectDeath();
    }
    if (plan.scenario == WorldPlan.Scenario.BLACKHOLE) {
      trace.note(nowNs, "the network falls silent");
      links[0].loss(1);
      links[1].loss(1);
    } else if (host == plan.closingHost) {
      if (plan.scenario == WorldPlan.Scenario.CHANNEL) { // its abort is a close with a code
        isClosing = true;
        for (SimApplication application : applications) {
          application.expectRefusals();
        }
      }
      hosts[host].port().abort(300, "enough", nowNs);
      applications[host].touch();
    }
  }

  /** Steps until {@code goal} holds. */
  void until(BooleanSupplier goal, Invariant invariant, String what) {
    progressNs = nowNs;
    while (!goal.getAsBoolean()) {
      boolean isAlive = step();
      if (goal.getAsBoolean()) {
        return;
      }
      require(isAlive, invariant, "%s: nothing is due any more%n%s", what, this);
      boolean isInTime = nowNs - START_NS < plan.boundNs() && nowNs - progressNs < silenceNsMax();
      require(isInTime, invariant, "%s takes too long%n%s", what, this);
    }
  }

  private long silenceNsMax() {
    return applications[0].isDeathExpected() ? plan.boundNs() : SILENCE_NS_MAX;
  }

  @Override
  int hostCount() {
    return 2;
  }

  @Override
  void read(int host) {
    schedules[host].now(nowNs);
    int count = network.socket(host).read(read, nowNs);
    burst.clear();
    for (int i = 0; i < count; i++) {
      Datagram datagram = read[i];
      boolean isDamaged = datagram.isDamaged;
      observer.onDelivered(host, datagram.bytes, 0, datagram.length, isDamaged);
      if (host == 1) {
        view.wrap(datagram.bytes, 0, datagram.length);
        guard.onRead(datagram.source, view, datagram.length, isDamaged);
      }
      burst.add(datagram.bytes, 0, datagram.length, 0, PacketBurst.TRANSIENT);
    }
    hosts[host].receive(burst, nowNs);
    for (int i = 0; i < count; i++) {
      network.free(read[i]);
    }
  }

  @Override
  long nextDeadlineNs(int host) {
    return hosts[host].nextDeadlineNs();
  }

  @Override
  void onTime(int host) {
    schedules[host].now(nowNs);
    hosts[host].onTime(nowNs);
  }

  @Override
  long nextApplicationNs(int host) {
    return schedules[host].nextNs();
  }

  @Override
  void runApplication(int host) {
    if (applications[host].run(nowNs) && !isClosed[host]) {
      hosts[host].port().flush(nowNs);
    }
  }

  @Override
  void onTurn(int host) {
    hosts[host].check(false);
    independence.check(host, applications[host], nowNs);
    long progress = applications[0].progress() + applications[1].progress();
    if (progress != progressSeen) {
      progressSeen = progress;
      progressNs = nowNs;
    }
  }

  /** Returns the number of different numbered packets that have arrived at host {@code host}. */
  long arrived(int host) {
    return observer.arrivedCount(1 - host);
  }

  /** Returns the packets that host {@code host} has sent again. */
  long resent(int host) {
    return observer.resent(host);
  }

  /** Describes the state of everything. Called only for a failure. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(String.format("at %,d ns, %d under way%n", nowNs, network.underWayCount()));
    for (int i = 0; i < 2; i++) {
      text.append(
          String.format(
              "host %d: %s%s, submitted %d of %d, ended %d, deadline %,d, application %,d%n",
              i,
              isEstablished[i] ? "established" : "not established",
              isClosed[i] ? ", closed " + closeCodes[i] : "",
              applications[i].submittedCount(),
              workload.of(i).size(),
              applications[i].ends().count(),
              hosts[i].nextDeadlineNs(),
              schedules[i].nextNs()));
      workload.of(i).stream()
          .filter(own -> own.isSubmitted && !own.isEnded)
          .limit(3)
          .forEach(own -> text.append("  waits: ").append(own.state()).append('\n'));
      text.append("  ").append(hosts[i]).append('\n');
    }
    return text.toString();
  }
}
