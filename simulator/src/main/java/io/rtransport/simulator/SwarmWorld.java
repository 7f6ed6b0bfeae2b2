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
 */
final class SwarmWorld extends SimWorld {
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
  private final SimTrace trace;
  private final SimLink[][] ways;
  private final SwarmHost[] hosts;
  private final LinkState[] links;
  private final WireView view = new WireView();

  SwarmWorld(SwarmPlan plan, SimTotals totals, SimTrace trace) {
    super(plan.originNs, totals);
    this.plan = plan;
    this.trace = trace;
    this.ways = new SimLink[plan.links.size()][2];
    hosts = new SwarmHost[plan.hosts.size()];
    for (int i = 0; i < hosts.length; i++) {
      SwarmPlan.Host of = plan.hosts.get(i);
      network.socket(SimRandom.fork(plan.seed, "read " + i), of.wakeNs(), of.burstMax());
      hosts[i] = new SwarmHost(i, this);
    }
    links = new LinkState[plan.links.size()];
    for (int i = 0; i < links.length; i++) {
      ways[i][0] = way(i, 0);
      ways[i][1] = way(i, 1);
      links[i] = new LinkState(i, SimRandom.fork(plan.seed, "starts " + i));
      links[i].address = SimAddresses.ofLink(i, plan.links.get(i).connector(), 0);
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

  private SimLink way(int link, int direction) {
    String name = link + " " + direction;
    RandomGenerator injections = SimRandom.fork(plan.seed, "injector " + name);
    RandomGenerator random = SimRandom.fork(plan.seed, "way " + name);
    SwarmInjector injector = new SwarmInjector(injections);
    SwarmPlan.Link of = plan.links.get(link);
    return new SimLink(
        link, direction, of.delayNs(), of.bytesPerMilli(), of.backlogNs(), random, injector);
  }

  // ---- calls of the world's parts

  SwarmPlan plan() {
    return plan;
  }

  SimTrace trace() {
    return trace;
  }

  SimSocket socket(int host) {
    return network.socket(host);
  }

  /** Returns one direction of a link: 0 from the connecting end, 1 back. */
  SimLink link(int link, int direction) {
    return ways[link][direction];
  }

  /** Returns the longest transit of a datagram, both directions together. */
  long roundTripNsMax(int link) {
    return ways[link][0].transitNsMax() + ways[link][1].transitNsMax();
  }

  SwarmHost host(int index) {
    return hosts[index];
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

  @Override
  int socketAt(Datagram datagram) {
    int link = datagram.link.number;
    int end = 1 - datagram.link.direction;
    SwarmPlan.Link of = plan.links.get(link);
    boolean isThere = datagram.destination.equals(addressOf(link, end));
    return !isThere ? -1 : end == 0 ? of.connector() : of.acceptor();
  }

  private InetSocketAddress addressOf(int link, int end) {
    return end == 0
        ? links[link].address
        : SimAddresses.ofListener(plan.links.get(link).acceptor());
  }

  /** Sends a datagram of the end of a connection. */
  void send(SwarmSide side, InetSocketAddress to, ByteBuffer buffer, int offset, int length) {
    SwarmConnection whole = side.whole;
    whole.observer.onSent(side.end, buffer, offset, length, nowNs);
    view.wrap(buffer, offset, length);
    host(whole.hostOf(side.end)).guard().onSent(to, view, length);
    InetSocketAddress from = addressOf(whole.link, side.end);
    network.send(link(whole.link, side.end), side, from, to, buffer, offset, length, nowNs);
  }

  /** Sends a host's answer to a stranger, whose datagram came over {@code link}. */
  void sendStray(
      SwarmHost host, int link, InetSocketAddress to, ByteBuffer buffer, int offset, int length) {
    trace.packet(32 + host.index, buffer, offset, length, nowNs);
    view.wrap(buffer, offset, length);
    host.guard().onSent(to, view, length);
    int end = plan.links.get(link).connector() == host.index ? 0 : 1;
    InetSocketAddress from = addressOf(link, end);
    network.send(link(link, end), null, from, to, buffer, offset, length, nowNs);
  }

  // ---- faults

  private void schedule(SwarmFault fault) {
    if (fault.isLasting()) {
      link(fault.where(), fault.direction()).impose(fault);
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
        link(where, fault.direction()).clog(untilNs);
      }
      case ONE_WAY -> {
        totals.count(SwarmEvent.ONE_WAYS);
        link(where, fault.direction()).cut(untilNs);
      }
      case NARROW -> {
        totals.count(SwarmEvent.NARROWED);
        link(where, fault.direction()).narrow((int) fault.amount(), untilNs);
      }
      case PARTITION -> partition(where, untilNs);
      case MOVE -> move(links[where]);
      case PAUSE -> {
        totals.pauses++;
        socket(where).pause(untilNs);
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
        link(i, 0).cut(untilNs);
        link(i, 1).cut(untilNs);
      }
    }
  }

  private void move(LinkState link) {
    totals.count(SwarmEvent.MOVES);
    int connector = plan.links.get(link.link).connector();
    link.address = SimAddresses.ofLink(link.link, connector, ++link.moves);
  }

  private void crash(SwarmFault fault, long untilNs) {
    SwarmHost host = hosts[fault.where()];
    if (!host.isUp()) {
      return;
    }
    totals.count(SwarmEvent.CRASHES);
    host.crash();
    socket(host.index).down(true);
    schedule.at(
        untilNs,
        () -> {
          trace.note(nowNs, "host " + host.index + " is back");
          socket(host.index).down(false);
          host.start();
        });
  }

  private void heal() {
    trace.note(nowNs, "healed");
    for (SimLink[] both : ways) {
      both[0].heal();
      both[1].heal();
    }
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

  // ---- turns

  @Override
  int hostCount() {
    return hosts.length;
  }

  @Override
  void read(int host) {
    hosts[host].now(nowNs);
    hosts[host].receive(nowNs);
  }

  @Override
  long nextDeadlineNs(int host) {
    return hosts[host].nextDeadlineNs(nowNs);
  }

  @Override
  void onTime(int host) {
    hosts[host].now(nowNs);
    hosts[host].onTime(nowNs);
  }

  @Override
  long nextApplicationNs(int host) {
    return hosts[host].nextApplicationNs();
  }

  @Override
  void runApplication(int host) {
    hosts[host].runApplications(nowNs);
  }

  @Override
  void onTimePassed() {
    for (SwarmHost host : hosts) {
      host.checkTimes(nowNs);
    }
  }

  @Override
  void onTurn(int host) {
    if (host >= 0) {
      hosts[host].check(nowNs);
    }
    for (LinkState link : links) {
      SwarmConnection current = link.current();
      if (current != null && !link.isFinished) {
        current.advance(nowNs);
        current.checkProgress(nowNs);
        goOn(link);
      }
    }
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
