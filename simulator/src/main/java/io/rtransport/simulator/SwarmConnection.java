package io.rtransport.simulator;

/**
 * A connection of a swarm with both its ends: its plan, its workload, and its checkers. The world
 * advances it from its set-up to its close.
 */
final class SwarmConnection {
  /** Transactions that the other end begins while one closes. */
  private static final int LATE = 4;

  /**
   * Virtual time without progress that is too long, with both ends alive and the network healed.
   * The total is added, because an end that has moved and is silent is not found, and is given up.
   */
  private static final long SILENCE_NS_MAX = 60_000_000_000L;

  final int link;
  final int number;
  final WorldPlan plan;
  final Workload workload;
  final Independence independence;
  final WireObserver observer;
  final SimTrace trace;
  private final SwarmWorld world;
  private final SwarmSide[] sides = new SwarmSide[2];
  private boolean isClosing;
  private boolean isDead;
  private boolean isCounted;
  private long progressSeen;
  private long progressNs;

  SwarmConnection(SwarmWorld world, int link, int number) {
    this.world = world;
    this.link = link;
    this.number = number;
    this.plan = world.plan().connection(link, number);
    this.workload = new Workload(plan, world.nowNs);
    this.independence = new Independence(plan.isOrdered);
    this.trace = new SimTrace(world.trace(), 1 + link, "connection " + link + "." + number + ": ");
    this.observer = new WireObserver(workload, world.totals, trace, independence);
    for (int end = 0; end < 2; end++) {
      sides[end] = new SwarmSide(this, end, world);
    }
    progressNs = world.nowNs;
    world.totals.count(SwarmEvent.CONNECTIONS);
    world.totals.count(plan.congestion);
    world.totals.unorderedWorlds += plan.isOrdered ? 0 : 1;
  }

  SwarmSide side(int end) {
    return sides[end];
  }

  SwarmPlan.Link linkPlan() {
    return world.plan().links.get(link);
  }

  int hostOf(int end) {
    return end == 0 ? linkPlan().connector() : linkPlan().acceptor();
  }

  boolean isTokenDemanded() {
    return world.plan().hosts.get(linkPlan().acceptor()).isTokenDemanded();
  }

  /** Returns the time without progress after which a side gives up. */
  long totalNs() {
    return SimProfiles.named(plan.profile).totalNs(sides[0].config().adpParameters());
  }

  long idleTimeoutNs() {
    return Math.max(plan.idleTimeoutNs, 2 * totalNs());
  }

  boolean isClosing() {
    return isClosing;
  }

  /** Allows deaths: one side aborts, and open transactions end by what is known of them. */
  void expectDeath() {
    sides[0].application.expectDeath();
    sides[1].application.expectDeath();
  }

  void onDeath() {
    isDead = true;
  }

  boolean isDead() {
    return isDead;
  }

  /**
   * Returns whether both ends are over. If the accepting end never had a connection, the connecting
   * end is enough.
   */
  boolean isOver() {
    return sides[0].isOver() && (sides[1].isOver() || sides[1].connection() == null);
  }

  /**
   * Advances the connection after each turn of one of its hosts. It begins the close when
   * everything has ended, and checks that work is done.
   */
  void advance(long nowNs) {
    if (!isClosing && sides[0].isAlive() && sides[1].isAlive() && isAtPeace()) {
      sides[0].checkAtRest();
      sides[1].checkAtRest();
      beginClose(nowNs);
    }
    if (isOver() && !isCounted) {
      isCounted = true;
      observer.onOver();
    }
  }

  private boolean isAtPeace() {
    boolean isDone = sides[0].application.isDone() && sides[1].application.isDone();
    return isDone && sides[0].isQuiet() && sides[1].isQuiet();
  }

  private void beginClose(long nowNs) {
    isClosing = true;
    if (plan.isClosedByHalves) {
      int other = 1 - plan.halfClosingHost;
      workload.extend(other, LATE, nowNs, linkPlan().delayNs());
      sides[other].application.finishAfterPlan();
      sides[other].schedule.at(nowNs, sides[other].application::submit);
      world.totals.closedByHalves++;
      return;
    }
    SwarmSide closing = sides[plan.closingHost];
    SwarmSide other = sides[1 - plan.closingHost];
    long delayNs = linkPlan().delayNs();
    boolean isWhole = plan.keptTransactions == Integer.MAX_VALUE;
    if (isWhole && !other.application.isFinished()) {
      workload.extendLate(other.end, LATE, nowNs, delayNs / LATE);
      other.schedule.at(nowNs, other.application::submit);
    }
    closing.schedule.at(nowNs + delayNs + delayNs / 4 + plan.lingerNs, () -> close(closing));
  }

  private void close(SwarmSide closing) {
    sides[0].application.expectRefusals();
    sides[1].application.expectRefusals();
    closing.close(world.nowNs);
  }

  /** Checks that work is done: the network is healed, and both ends are alive. */
  void checkProgress(long nowNs) {
    long progress = sides[0].application.progress() + sides[1].application.progress();
    boolean isIdle = !sides[0].isAlive() || !sides[1].isAlive();
    if (progress != progressSeen || isIdle || nowNs < world.healedNs()) {
      progressSeen = progress;
      progressNs = nowNs;
    }
    if (!(nowNs - progressNs < SILENCE_NS_MAX + totalNs() + plan.lingerNs)) {
      throw InvariantViolation.of(
          Invariant.PROGRESS,
          "connection %d.%d: nothing gets done for %,d ns%n%s",
          link,
          number,
          nowNs - progressNs,
          this);
    }
  }

  /** Checks at the end of the world that all payload was released. */
  void checkEmpty() {
    sides[0].checkReleases();
    sides[1].checkReleases();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (SwarmSide side : sides) {
      SimApplication application = side.application;
      text.append(
          String.format(
              "%s: %s, submitted %d of %d, ended %d, application %,d%n",
              side,
              side.state(),
              application.submittedCount(),
              workload.of(side.end).size(),
              application.ends().count(),
              side.schedule.nextNs()));
      workload.of(side.end).stream()
          .filter(own -> own.isSubmitted && !own.isEnded)
          .limit(3)
          .forEach(own -> text.append("  waits: ").append(own.state()).append('\n'));
      if (side.connection() != null) {
        text.append("  ").append(side.connection()).append(' ');
        text.append(side.connection().counters()).append('\n');
      }
    }
    return text.toString();
  }
}
