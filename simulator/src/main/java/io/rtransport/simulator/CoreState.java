package io.rtransport.simulator;

import static io.rtransport.simulator.InvariantViolation.require;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.util.random.RandomGenerator;

/**
 * State of one host's event loop and node, with its checks: bounds while the world runs, accounts
 * at rest, nothing left after the close. It is the same for every kind of host.
 */
public final class CoreState {
  private static final int CAM_ENTRIES = 1 << 12;

  private final int host;
  private final PairHarness harness;
  private final long budgetBytes;
  private final long creditPoolBytes;
  private final RandomGenerator secrets;
  private final LoopResources loop;
  private final NodeBudgets budgets;

  public CoreState(int host, PairHarness harness) {
    this(
        host,
        harness,
        SimRandom.fork(harness.plan().seed, "secrets " + host),
        harness.plan().storeBytes,
        harness.plan().budgetBytes,
        harness.plan().creditPoolBytes);
  }

  /** Creates the state of one host of a swarm. */
  CoreState(int host, RandomGenerator secrets, SwarmPlan.Host plan) {
    this(host, null, secrets, plan.storeBytes(), plan.budgetBytes(), plan.creditPoolBytes());
  }

  private CoreState(
      int host,
      PairHarness harness,
      RandomGenerator secrets,
      int storeBytes,
      long budgetBytes,
      long creditPoolBytes) {
    this.host = host;
    this.harness = harness;
    this.secrets = secrets;
    this.budgetBytes = budgetBytes;
    this.creditPoolBytes = creditPoolBytes;
    this.loop = new LoopResources(storeBytes, CAM_ENTRIES, secrets);
    this.budgets = NodeBudgets.of(budgetBytes, creditPoolBytes);
  }

  public RandomGenerator secrets() {
    return secrets;
  }

  public LoopResources loop() {
    return loop;
  }

  public NodeBudgets budgets() {
    return budgets;
  }

  /** Checks the bounds after each turn. */
  public void checkBounds() {
    checkBounds(harness.plan().initialCreditBytes, harness.plan().outstandingMax);
  }

  /** Checks the bounds after each turn, with the sums over all connections of the host. */
  void checkBounds(long initialCreditBytes, long outstandingMax) {
    // Memory for messages that cannot be opened yet was paid for by credit, twice at most.
    long holding = loop.solicitation().holding().inUseBytes();
    long holdingMax = 2 * (initialCreditBytes + creditPoolBytes);
    int reordered = loop.solicitation().reorderTable().size();
    if (!(holding <= holdingMax && reordered <= 3 * outstandingMax)) {
      throw InvariantViolation.of(
          Invariant.MEMORY, "host %d holds %,d bytes and %d entries", host, holding, reordered);
    }
    long counted = budgets.solicitation().countedBytes();
    if (!(counted >= 0 && counted <= budgetBytes + (budgetBytes >> 3))) {
      throw InvariantViolation.of(
          Invariant.GRANTS, "host %d: %,d bytes of a budget of %,d", host, counted, budgetBytes);
    }
    long credit = budgets.credit().usedBytes();
    if (!(credit >= 0 && credit <= creditPoolBytes)) {
      throw InvariantViolation.of(
          Invariant.CREDIT,
          "host %d: %,d bytes of a credit pool of %,d",
          host,
          credit,
          creditPoolBytes);
    }
  }

  /**
   * Checks the accounts after every transaction has ended. {@code connection} may still be open;
   * {@code chargedBytes} is the wire's count.
   */
  public void checkAtRest(Connection connection, long chargedBytes) {
    checkConnectionAtRest(connection, chargedBytes, harness.plan().initialCreditBytes);
    checkNodeAtRest();
  }

  /** Checks the accounts of one connection among several, like the method above. */
  void checkConnectionAtRest(Connection connection, long chargedBytes, int initialCreditBytes) {
    long chargedHere = connection.solicitation().creditChargedBytes();
    long usedBytes = connection.solicitation().creditUsedBytes();
    require(
        chargedHere == chargedBytes && usedBytes == 0,
        Invariant.CREDIT,
        "host %d: at rest its peer was charged %,d bytes, of %,d on the wire; %,d are not returned",
        host,
        chargedHere,
        chargedBytes,
        usedBytes);
    long allowedBytes = connection.solicitation().creditLimitBytes() - chargedBytes;
    require(
        allowedBytes >= initialCreditBytes,
        Invariant.CREDIT,
        "host %d: at rest its peer may push %,d bytes, at first %,d",
        host,
        allowedBytes,
        initialCreditBytes);
  }

  /** Checks the node's accounts when no transaction of any connection is open. */
  void checkNodeAtRest() {
    long countedBytes = budgets.solicitation().countedBytes();
    long awayBytes = budgets.solicitation().givenAwayBytes();
    require(
        countedBytes == 0 && awayBytes == 0,
        Invariant.GRANTS,
        "host %d: at rest %,d bytes of the budget are held, %,d given away",
        host,
        countedBytes,
        awayBytes);
  }

  /**
   * Checks that nothing is held: the connection has ended and is forgotten. The endpoint holds
   * {@code connectionCount} connections.
   */
  public void checkEmpty(int connectionCount) {
    empty("connections", connectionCount);
    empty("retransmission engine", loop.retransmissionEngine().inFlightCount());
    empty("reorder table", loop.solicitation().reorderTable().size());
    empty("holding memory", loop.solicitation().holding().inUseBytes());
    empty("retransmission store", loop.store().unitCount() - loop.store().freeUnits());
    empty("reservations of the store", loop.store().reservedUnits());
    empty("solicitation budget", budgets.solicitation().countedBytes());
    empty("incast limit", budgets.solicitation().aheadUnits());
    empty("pull reservations", budgets.solicitation().pullBytes());
    empty("grants given away", budgets.solicitation().givenAwayBytes());
    empty("stale bytes", budgets.solicitation().staleBytes());
    empty("credit pool", budgets.credit().usedBytes());
  }

  private void empty(String what, long count) {
    require(count == 0, Invariant.EMPTY_AFTER_CLOSE, "host %d: %s holds %,d", host, what, count);
  }

  /** Adds the product's counters to the totals, and compares them with the wire's counts. */
  public void count(SimTotals totals) {
    count(totals, harness.arrived(host), harness.resent(host));
  }

  /**
   * Adds the product's counters to the totals, and compares them with given counts.
   *
   * @param arrivals different numbered packets that arrived, as the wire saw it
   * @param resends packets sent again, as the wire saw it
   */
  void count(SimTotals totals, long arrivals, long resends) {
    Counters counters = loop.counters();
    long early = counters.value(CounterId.RETRANSMITS_EARLY);
    long probe = counters.value(CounterId.RETRANSMITS_PROBE);
    long timeout = counters.value(CounterId.RETRANSMITS_TIMEOUT);
    totals.early += early;
    totals.probe += probe;
    totals.timeout += timeout;
    totals.spurious += counters.value(CounterId.RETRANSMITS_SPURIOUS);
    totals.spuriousTimeouts += counters.value(CounterId.TIMEOUTS_SPURIOUS);
    totals.mtuRaised += counters.value(CounterId.MTU_PROBES_ANSWERED);
    totals.blackHoles += counters.value(CounterId.MTU_BLACK_HOLES);
    totals.paced += counters.value(CounterId.PACED);
    totals.flushesHeld += counters.value(CounterId.FLUSHES_HELD);
    totals.completionsHeld += counters.value(CounterId.COMPLETIONS_HELD);
    totals.completionsRidden += counters.value(CounterId.COMPLETIONS_RIDDEN);
    totals.pathsMoved += counters.value(CounterId.PATHS_MOVED);
    totals.pathChallenges += counters.value(CounterId.PATH_CHALLENGES_SENT);
    long accepted = counters.value(CounterId.PACKETS_NUMBERED_RECEIVED);
    require(
        accepted <= arrivals,
        Invariant.NO_DUPLICATE,
        "host %d: %d packets were handed up; %d different ones arrived",
        host,
        accepted,
        arrivals);
    require(
        resends == early + probe + timeout,
        Invariant.COUNTERS,
        "host %d: %d packets were resent; counted %d early, %d probes, %d timeouts",
        host,
        resends,
        early,
        probe,
        timeout);
  }
}
