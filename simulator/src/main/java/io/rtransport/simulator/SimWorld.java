package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

/**
 * A world: some hosts on one network, in virtual time. {@link #step} makes the one thing happen
 * that is due next.
 *
 * <p>Things due at the same instant have a fixed order: arrivals and the world's own actions, then
 * reads before timers before applications, host by host. A paused host does nothing ({@link
 * RailWorld} says what it does on several rails). When it runs again it reads first.
 */
abstract class SimWorld {
  /** Steps at one instant above which something spins. */
  private static final int STEPS_PER_INSTANT_MAX = 20_000;

  final SimTotals totals;
  final SimNetwork network;

  /** Actions of the world itself, such as faults. */
  final SimSchedule schedule = new SimSchedule();

  long nowNs;
  private long instantNs = Long.MIN_VALUE;
  private int instantSteps;

  SimWorld(long startNs, SimTotals totals) {
    this.nowNs = startNs;
    this.totals = totals;
    this.network = new SimNetwork(this::socketAt, totals);
    schedule.now(startNs);
  }

  // ---- what a world has

  /** Returns the number of the socket where a datagram is going; −1: nobody is there now. */
  abstract int socketAt(Datagram datagram);

  abstract int hostCount();

  /** Lets a host read what has arrived. */
  abstract void read(int host);

  /** Returns when a timer of the host is due; {@link Long#MAX_VALUE}: never. */
  abstract long nextDeadlineNs(int host);

  /** Lets the timers of a host act that are due. */
  abstract void onTime(int host);

  /** Returns when the host's application has something to do; {@link Long#MAX_VALUE}: never. */
  long nextApplicationNs(int host) {
    return Long.MAX_VALUE;
  }

  void runApplication(int host) {
    throw new AssertionError("no application has anything to do");
  }

  /** Looks at a world in which time has just passed. */
  void onTimePassed() {}

  /** Looks at a world in which a host has just had its turn; −1: the world itself. */
  void onTurn(int host) {}

  // ---- time

  /** Makes the next thing happen. Returns false when nothing will ever be due. */
  public final boolean step() {
    long nextNs = nextNs();
    if (nextNs == Long.MAX_VALUE) {
      return false;
    }
    if (nextNs > nowNs) {
      nowNs = nextNs;
      onTimePassed();
    }
    network.arrive(nowNs);
    watchForSpinning();
    turn();
    return true;
  }

  private void turn() {
    if (schedule.nextNs() <= nowNs) {
      schedule.run(nowNs);
      onTurn(-1);
      return;
    }
    int count = hostCount();
    for (int i = 0; i < count; i++) {
      if (nextReadNs(i) <= nowNs) {
        read(i);
        onTurn(i);
        return;
      }
    }
    for (int i = 0; i < count; i++) {
      if (runsAtNs(i, nextDeadlineNs(i)) <= nowNs) {
        onTime(i);
        onTurn(i);
        return;
      }
    }
    for (int i = 0; i < count; i++) {
      if (runsAtNs(i, nextApplicationNs(i)) <= nowNs) {
        runApplication(i);
        onTurn(i);
        return;
      }
    }
  }

  /** Returns when the next thing is due; {@link Long#MAX_VALUE}: never. */
  final long nextNs() {
    long nextNs = Math.min(network.nextArrivalNs(), schedule.nextNs());
    for (int i = hostCount() - 1; i >= 0; i--) {
      long dueNs = Math.min(nextDeadlineNs(i), nextApplicationNs(i));
      nextNs = Math.min(nextNs, Math.min(nextReadNs(i), runsAtNs(i, dueNs)));
    }
    return nextNs;
  }

  /** Returns when a host next reads. */
  long nextReadNs(int host) {
    return network.socket(host).nextReadNs();
  }

  /** Returns when a host does what is due at {@code dueNs}. It may be paused then. */
  long runsAtNs(int host, long dueNs) {
    return network.socket(host).runsAtNs(dueNs);
  }

  private void watchForSpinning() {
    if (nowNs != instantNs) {
      instantNs = nowNs;
      instantSteps = 0;
    }
    instantSteps++;
    require(instantSteps < STEPS_PER_INSTANT_MAX, Invariant.PROGRESS, "spins%n%s", this);
  }
}
