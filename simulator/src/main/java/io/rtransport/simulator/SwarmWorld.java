package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * World of a swarm: hosts, links and connections of a {@link SwarmPlan}, in virtual time. Its
 * faults act until it is healed. Then all open work must finish, every connection must close, and
 * nothing may be left.
 *
 * <p>Things due at the same instant have a fixed order: arrivals and faults, then reads before
 * timers before applications, host by host. A paused host does nothing. When it runs again it reads
 * first.
 */
final class SwarmWorld {
  /** Steps at one instant above which something spins. */
  private static final int STEPS_PER_INSTANT_MAX = 20_000;

  /**
   * Virtual time after the healing in which everything must be over: two lives of the most patient
   * profile, and its idle timeouts.
   */
  private static final long OVER_NS_MAX = 1_200_000_000_000L;

  /** Most connections of a link, including those after a death. */
  private static final int CONNECTIONS_MAX = 5;

  /** Present state of one link. */
  private static final class LinkState {
    private final int link;
    private final List<SwarmConnection> connections = new ArrayList<>();
    private final RandomGenerator random;
    private InetSocketAddress address;
    private int moves;
    private boolean isStartDue;
    private boolean isFinished;

    private LinkState(int link, RandomGenerator random) {
      this.link = link;
      this.random = random;
    }

    private SwarmConnection current() {
      return connections.isEmpty() ? null : connections.get(connections.size() - 1);
    }
  }

  private final SwarmPlan plan;
  private final SimTotals totals;
  private final SimTrace trace;
  private final SwarmNetwork network;
  private final SimSchedule schedule = new SimSchedule();
  private final SwarmHost[] hosts;
  private final LinkState[] links;
  private final WireView view = new WireView();
  private long nowNs;
  private long instantNs = Long.MIN_VALUE;
  private int instantSteps;

  SwarmWorld(SwarmPlan plan, SimTotals totals, SimTrace trace) {
    this.plan = plan;
    this.totals = totals;
    this.trace = trace;
    this.nowNs = plan.originNs;
    this.network = new SwarmNetwork(plan, totals);
    schedule.now(nowNs);
    hosts = new SwarmHost[plan.hosts.size()];
    for (int i = 0; i < hosts.length; i++) {
      hosts[i] = new SwarmHost(i, this);
    }
    links = new LinkState[plan.links.size()];
    for (int i = 0; i < links.length; i++) {
      links[i] = new LinkState(i, SimRandom.fork(plan.seed, "starts " + i));
      links[i].address = SwarmAddresses.ofLink(i, plan.links.get(i).connector(), 0);
      links[i].isFinished = !plan.keptLinks.get(i);
      if (!links[i].isFinished) {
        startAt(links[i], nowNs + plan.links.get(i).startNs());
      }
    }
    plan.keptFaults.stream()
        .mapToObj(plan.faults::get)
        .filter(plan::isInForce)
        .forEach(this::schedule);
    schedule.at(healedNs(), this::heal);
    totals.worlds++;
    totals.count(SwarmEvent.HOSTS, hosts.length);
    totals.count(SwarmEvent.LINKS, plan.keptLinks.cardinality());
    totals.count(SwarmEvent.BELOW_ZERO, plan.originNs < 0 ? 1 : 0);
  }

  // ---- calls of the world's parts

  SwarmPlan plan() {
    return plan;
  }

  SimTotals totals() {
    return totals;
  }

  SimTrace trace() {
    return trace;
  }

  SwarmNetwork network() {
    return network;
  }

  SwarmHost host(int index) {
    return hosts[index];
  }

  long nowNs() {
    return nowNs;
  }

  long healedNs() {
    return plan.originNs + plan.healNs;
  }

  /** Returns the link's present or last connection. */
  SwarmConnection current(int link) {
    return links[link].current();
  }

  /** Returns the total time for which the hosts of a link were paused so far. */
  long pausedNs(int link) {
    SwarmPlan.Link of = plan.links.get(link);
    return hosts[of.connector()].pausedNs() + hosts[of.acceptor()].pausedNs();
  }

  /** Returns whether {@code to} is the present address of that end of the link. */
  boolean isAddressOf(int link, int end, InetSocketAddress to) {
    return to.equals(addressOf(link, end));
  }

  private InetSocketAddress addressOf(int link, int end) {
    return end == 0
        ? links[link].address
        : SwarmAddresses.ofListener(plan.links.get(link).acceptor());
  }

  /** Sends a datagram of the end of a connection. */
  void send(SwarmSide side, InetSocketAddress to, ByteBuffer buffer, int offset, int length) {
    SwarmConnection whole = side.whole;
    whole.observer.onSent(side.end, buffer, offset, length, nowNs);
    view.wrap(buffer, offset, length);
    host(whole.hostOf(side.end)).guard().onSent(to, view, length);
    InetSocketAddress from = addressOf(whole.link, side.end);
    network.send(whole.link, side.end, side, from, to, buffer, offset, length, nowNs);
  }

  /** Sends a host's answer to a stranger, whose datagram came over {@code link}. */
  void sendStray(
      SwarmHost host, int link, InetSocketAddress to, ByteBuffer buffer, int offset, int length) {
    trace.packet(32 + host.index, buffer, offset, length, nowNs);
    view.wrap(buffer, offset, length);
    host.guard().onSent(to, view, length);
    int end = plan.links.get(link).connector() == host.index ? 0 : 1;
    InetSocketAddress from = addressOf(link, end);
    network.send(link, end, null, from, to, buffer, offset, length, nowNs);
  }

  // ---- faults

  private void schedule(SwarmFault fault) {
    if (fault.isLasting()) {
      network.impose(fault);
    } else {
      schedule.at(plan.originNs + fault.atNs(), () -> strike(fault));
    }
  }

  private void strike(SwarmFault fault) {
    trace.note(nowNs, "fault: " + fault);
    long untilNs = nowNs + fault.forNs();
    int where = fault.where();
    switch (fault.kind()) {
      case CLOG -> {
        totals.count(SwarmEvent.CLOGS);
        network.clog(where, fault.direction(), untilNs);
      }
      case ONE_WAY -> {
        totals.count(SwarmEvent.ONE_WAYS);
        network.cut(where, fault.direction(), untilNs);
      }
      case NARROW -> {
        totals.count(SwarmEvent.NARROWED);
        network.narrow(where, fault.direction(), (int) fault.amount(), untilNs);
      }
      case PARTITION -> partition(where, untilNs);
      case MOVE -> move(links[where]);
      case PAUSE -> {
        totals.pauses++;
        network.pause(where, untilNs);
        hosts[where].onPaused(fault.forNs());
      }
      default -> crash(fault, untilNs);
    }
  }

  private void partition(int set, long untilNs) {
    totals.count(SwarmEvent.PARTITIONS);
    for (int i = 0; i < links.length; i++) {
      SwarmPlan.Link link = plan.links.get(i);
      if ((set >> link.connector() & 1) != (set >> link.acceptor() & 1)) {
        network.cut(i, 0, untilNs);
        network.cut(i, 1, untilNs);
      }
    }
  }

  private void move(LinkState link) {
    totals.count(SwarmEvent.MOVES);
    int connector = plan.links.get(link.link).connector();
    link.address = SwarmAddresses.ofLink(link.link, connector, ++link.moves);
  }

  private void crash(SwarmFault fault, long untilNs) {
    SwarmHost host = hosts[fault.where()];
    if (!host.isUp()) {
      return;
    }
    totals.count(SwarmEvent.CRASHES);
    host.crash();
    network.down(host.index, true);
    schedule.at(
        untilNs,
        () -> {
          trace.note(nowNs, "host " + host.index + " is back");
          network.down(host.index, false);
          host.start();
        });
  }

  private void heal() {
    trace.note(nowNs, "healed");
    network.heal();
  }

  // ---- connections

  private void startAt(LinkState link, long atNs) {
    link.isStartDue = true;
    schedule.at(atNs, () -> start(link));
  }

  private void start(LinkState link) {
    SwarmHost connector = hosts[plan.links.get(link.link).connector()];
    if (!connector.isUp()) {
      schedule.at(nowNs + 10_000_000, () -> start(link));
      return;
    }
    link.isStartDue = false;
    SwarmConnection connection = new SwarmConnection(this, link.link, link.connections.size());
    link.connections.add(connection);
    connection.side(0).schedule.now(nowNs);
    connector.connect(connection.side(0), addressOf(link.link, 1), nowNs);
  }

  /**
   * Starts another connection after the one that is over at its connecting end. It is planned, or
   * the last one died before the healing.
   */
  private void goOn(LinkState link) {
    SwarmConnection current = link.current();
    if (link.isFinished || link.isStartDue || current == null || !current.side(0).isOver()) {
      return;
    }
    int count = link.connections.size();
    boolean isPlanned = count < plan.links.get(link.link).connectionCount();
    boolean isNeeded = current.isDead() && count < CONNECTIONS_MAX;
    if (isPlanned || isNeeded) {
      totals.count(SwarmEvent.RECONNECTS, isPlanned ? 0 : 1);
      startAt(link, nowNs + SimRandom.logUniform(link.random, 1_000, 500_000_000));
    } else {
      link.isFinished = true;
    }
  }

  // ---- time

  /** Runs the whole life of the world, and the checks at its end. */
  void run() {
    try {
      while (!isOver()) {
        require(step(), Invariant.PROGRESS, "nothing is due any more%n%s", this);
        boolean isInTime = nowNs < healedNs() + OVER_NS_MAX;
        require(isInTime, Invariant.PROGRESS, "it takes too long%n%s", this);
      }
      while (step()) {
        boolean isInTime = nowNs < healedNs() + 2 * OVER_NS_MAX;
        require(isInTime, Invariant.PROGRESS, "no rest after the close%n%s", this);
      }
      for (LinkState link : links) {
        for (SwarmConnection connection : link.connections) {
          require(connection.isOver(), Invariant.LIFE_CYCLE, "it never ends%n%s", connection);
          connection.checkEmpty();
        }
      }
      for (SwarmHost host : hosts) {
        host.checkEmpty();
      }
    } finally {
      network.close();
    }
  }

  private boolean isOver() {
    for (LinkState link : links) {
      if (!link.isFinished) {
        return false;
      }
      for (SwarmConnection connection : link.connections) {
        if (!connection.isOver()) {
          return false;
        }
      }
    }
    return true;
  }

  /** Makes the next thing happen. Returns false when nothing will ever be due. */
  private boolean step() {
    long nextNs = nextNs();
    if (nextNs == Long.MAX_VALUE) {
      return false;
    }
    if (nextNs > nowNs) {
      nowNs = nextNs;
      for (SwarmHost host : hosts) {
        host.checkTimes(nowNs);
      }
    }
    network.arrive(nowNs, this);
    watchForSpinning();
    if (schedule.nextNs() <= nowNs) {
      schedule.run(nowNs);
      return advance();
    }
    for (SwarmHost host : hosts) {
      if (network.nextReadNs(host.index) <= nowNs) {
        host.now(nowNs);
        host.receive(nowNs);
        return finish(host);
      }
    }
    for (SwarmHost host : hosts) {
      if (network.runsAtNs(host.index, host.nextDeadlineNs(nowNs)) <= nowNs) {
        host.now(nowNs);
        host.onTime(nowNs);
        return finish(host);
      }
    }
    for (SwarmHost host : hosts) {
      if (network.runsAtNs(host.index, host.nextApplicationNs()) <= nowNs) {
        host.runApplications(nowNs);
        return finish(host);
      }
    }
    return true;
  }

  private boolean finish(SwarmHost host) {
    host.check(nowNs);
    return advance();
  }

  private boolean advance() {
    for (LinkState link : links) {
      SwarmConnection current = link.current();
      if (current != null && !link.isFinished) {
        current.advance(nowNs);
        current.checkProgress(nowNs);
        goOn(link);
      }
    }
    return true;
  }

  private void watchForSpinning() {
    if (nowNs != instantNs) {
      instantNs = nowNs;
      instantSteps = 0;
    }
    instantSteps++;
    require(instantSteps < STEPS_PER_INSTANT_MAX, Invariant.PROGRESS, "spins%n%s", this);
  }

  private long nextNs() {
    long nextNs = Math.min(network.nextArrivalNs(), schedule.nextNs());
    for (SwarmHost host : hosts) {
      long dueNs = Math.min(host.nextDeadlineNs(nowNs), host.nextApplicationNs());
      nextNs = Math.min(nextNs, network.runsAtNs(host.index, dueNs));
      nextNs = Math.min(nextNs, network.nextReadNs(host.index));
    }
    return nextNs;
  }

  /** Describes the state of everything. Called only for a failure. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(
        String.format(
            "at %,d ns, healed at %,d, %d under way%n",
            nowNs, healedNs(), network.underWayCount()));
    for (LinkState link : links) {
      for (SwarmConnection connection : link.connections) {
        if (!connection.isOver()) {
          text.append(connection);
        }
      }
    }
    for (SwarmHost host : hosts) {
      text.append(host).append(String.format(" due %,d%n", host.nextDeadlineNs(nowNs)));
    }
    return text.toString();
  }
}
