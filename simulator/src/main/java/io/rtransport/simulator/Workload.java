package io.rtransport.simulator;

import io.rtransport.simulator.PlannedTransaction.Kind;
import io.rtransport.simulator.PlannedTransaction.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Transactions of one world, in both directions, drawn by its seed. Lengths are log-uniform from 0
 * B to 1 MiB within the world's bytes. There are pushes below and above the solicitation threshold,
 * and pulls. The target's application fails some of them. The applications are slow in every
 * possible way.
 */
public final class Workload {
  /** Longest message. */
  static final int LENGTH_MAX = 1 << 20;

  private final WorldPlan plan;
  private final RandomGenerator random;
  private final RandomGenerator cancels;
  private final RandomGenerator receipts;
  private final RandomGenerator breaks;
  private final RandomGenerator unawaited;
  private final List<List<PlannedTransaction>> byHost =
      List.of(new ArrayList<>(), new ArrayList<>());
  private final RsnIndexes[] rsns;
  private long bytesLeft;

  Workload(WorldPlan plan) {
    this(plan, 0);
  }

  /**
   * Draws the transactions.
   *
   * @param startNs virtual time from which its transactions are spread
   */
  Workload(WorldPlan plan, long startNs) {
    this.plan = plan;
    this.rsns =
        new RsnIndexes[] {new RsnIndexes(plan.firstRsns[0]), new RsnIndexes(plan.firstRsns[1])};
    this.random = SimRandom.fork(plan.seed, "workload");
    this.cancels = SimRandom.fork(plan.seed, "cancels");
    this.breaks = SimRandom.fork(plan.seed, "breaks");
    this.unawaited = SimRandom.fork(plan.seed, "unawaited");
    this.receipts = SimRandom.fork(plan.seed, "receipts");
    this.bytesLeft = plan.bytesMax;
    int kept = Math.min(plan.transactionCount, plan.keptTransactions);
    long atNs = startNs;
    long gapNs = plan.spreadNs / plan.transactionCount;
    for (int i = 0; i < plan.transactionCount; i++) {
      atNs += (long) (gapNs * 2 * random.nextDouble());
      PlannedTransaction drawn = draw(random.nextInt(2), atNs, LENGTH_MAX);
      if (i < kept) {
        add(drawn);
      }
    }
  }

  /** Returns the transactions of {@code host}, in the order of submission. */
  List<PlannedTransaction> of(int host) {
    return byHost.get(host);
  }

  /** Returns which RSNs the transactions of {@code host} have. */
  RsnIndexes rsns(int host) {
    return rsns[host];
  }

  /** Returns the index of the transaction of {@code host} that has an RSN, by its distance. */
  int indexOf(int host, int offset) {
    return rsns[host].indexOf(offset, of(host).size());
  }

  /**
   * Draws small transactions of {@code host} after the planned ones, where the world has had too
   * few packets so far.
   */
  void extend(int host, int count, long fromNs, long gapNs) {
    for (int i = 0; i < count; i++) {
      add(draw(host, fromNs + i * gapNs, 256));
    }
  }

  /** Draws transactions for the time of the close, long enough for pushes of several pieces. */
  void extendLate(int host, int count, long fromNs, long gapNs) {
    for (int i = 0; i < count; i++) {
      bytesLeft = Math.max(bytesLeft, 8L * plan.solicitThreshold);
      add(draw(host, fromNs + i * gapNs, 2 * plan.solicitThreshold));
    }
  }

  private void add(PlannedTransaction transaction) {
    byHost.get(transaction.host).add(transaction);
  }

  private PlannedTransaction draw(int host, long notBeforeNs, int lengthMax) {
    // The rest is divided, so that one long message does not leave only empty ones after it.
    long cap = Math.min(lengthMax, Math.max(bytesLeft / 4, 16));
    int lengthBytes = (int) SimRandom.logUniform(random, 0, cap);
    bytesLeft = Math.max(0, bytesLeft - lengthBytes);
    Kind kind = random.nextInt(4) == 0 ? Kind.PULL : Kind.PUSH;
    int lengthBytesMax = lengthBytes + (random.nextBoolean() ? 0 : random.nextInt(4_096));
    int headerLength = drawHeaderLength();
    int start = random.nextInt(Pattern.STARTS);
    Verdict verdict = drawVerdict(kind);
    int code = verdict == Verdict.ACCEPT ? 0 : 256 + random.nextInt(1_000_000);
    String text = verdict == Verdict.ACCEPT ? "" : "verdict " + code;
    PlannedTransaction transaction =
        new PlannedTransaction(
            byHost.get(host).size(),
            host,
            kind,
            notBeforeNs,
            lengthBytes,
            lengthBytesMax,
            headerLength,
            start,
            verdict,
            code,
            text);
    drawPace(transaction);
    drawCancel(transaction);
    drawBreak(transaction);
    transaction.isUnawaited =
        unawaited.nextBoolean() && plan.scenario != WorldPlan.Scenario.CHANNEL;
    transaction.isReceiptWanted = receipts.nextInt(4) == 0 && transaction.isPush();
    return transaction;
  }

  /**
   * Draws cancellation and deadline. One in ten is given up, a third of those before anything of it
   * can have left. One in eight has a deadline.
   */
  private void drawCancel(PlannedTransaction transaction) {
    boolean isCancelled = cancels.nextInt(10) == 0;
    boolean isAtOnce = cancels.nextInt(3) == 0;
    long delayNs = SimRandom.logUniform(cancels, 1_000, 30_000_000);
    if (isCancelled && plan.isGivingUp) {
      transaction.cancelDelayNs = isAtOnce ? 0 : delayNs;
    }
    boolean hasDeadline = cancels.nextInt(8) == 0;
    long deadlineNs = SimRandom.logUniform(cancels, 1_000, 300_000_000);
    if (hasDeadline && plan.isGivingUp) {
      transaction.deadlineDelayNs = deadlineNs;
    }
  }

  /** Draws a failing sink for one in sixteen, for a quarter of those at the first byte. */
  private void drawBreak(PlannedTransaction transaction) {
    boolean isBroken = breaks.nextInt(16) == 0;
    boolean isAtOnce = breaks.nextInt(4) == 0;
    double share = breaks.nextDouble();
    if (isBroken && transaction.lengthBytes > 0 && plan.scenario != WorldPlan.Scenario.CHANNEL) {
      transaction.breaksAtBytes = isAtOnce ? 0 : (int) (share * transaction.lengthBytes);
    }
  }

  private int drawHeaderLength() {
    return switch (random.nextInt(4)) {
      case 0 -> 0;
      case 1 -> random.nextInt(plan.headerLengthMax + 1);
      default -> random.nextInt(Math.min(32, plan.headerLengthMax));
    };
  }

  private Verdict drawVerdict(Kind kind) {
    int draw = random.nextInt(20);
    if (draw == 0) {
      return Verdict.FAIL;
    }
    boolean canRefuse = kind == Kind.PUSH && plan.scenario != WorldPlan.Scenario.CHANNEL;
    return draw == 1 && canRefuse ? Verdict.REFUSE : Verdict.ACCEPT;
  }

  private void drawPace(PlannedTransaction transaction) {
    boolean isChannel = plan.scenario == WorldPlan.Scenario.CHANNEL;
    int pace = random.nextInt(16);
    long slowNs = SimRandom.logUniform(random, 1_000, 3_000_000);
    double share = random.nextDouble();
    boolean isKept = random.nextInt(3) == 0;
    transaction.isKeptWhole =
        isChannel || isKept && transaction.lengthBytes <= plan.budgetBytes / 4;
    int step = 1 + (int) SimRandom.logUniform(random, 16, 65_536);
    if (pace < 4) {
      transaction.verdictDelayNs = slowNs;
    }
    if (isChannel) {
      return;
    }
    if (pace == 4) {
      transaction.laterCount = 1 + random.nextInt(2);
      transaction.laterNs = slowNs;
    } else if (pace == 5 || pace == 6) {
      transaction.takenShare = share;
      transaction.takeDelayNs = slowNs;
      if (pace == 6 && plan.scenario == WorldPlan.Scenario.SWARM) {
        transaction.verdictDelayNs = 2 * slowNs; // all of it is taken before
      }
    } else if (pace == 7) {
      transaction.sourceStepBytes = Math.max(step, transaction.lengthBytes / 16);
      transaction.sourceDelayNs = slowNs;
    }
  }

  /** Writes the application header of {@code transaction} at {@code to[index ..)}. */
  public static void header(PlannedTransaction transaction, ByteBuffer to, int index) {
    Pattern.copy(transaction.start ^ 1, 0, to, index, transaction.headerLength);
  }

  /** Returns whether the bytes are the application header of {@code transaction}. */
  static boolean isHeader(PlannedTransaction transaction, ByteBuffer from, int index, int length) {
    return length == transaction.headerLength
        && Pattern.mismatch(transaction.start ^ 1, 0, from, index, length) < 0;
  }
}
