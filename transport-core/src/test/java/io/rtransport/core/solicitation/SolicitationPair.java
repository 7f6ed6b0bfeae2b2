package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.PacketTools;
import java.util.random.RandomGenerator;

/** Two ends, each with its sublayers, a toy window and a toy application; driven step by step. */
final class SolicitationPair {
  static final class End implements PathView {
    final Counters counters = new Counters();
    final ToyWindow window;
    final ToyApplication application;
    final TransactionSublayer transactions;
    final SolicitationSublayer solicitation;
    final PacketBurst burst = new PacketBurst();
    private final OutboxEntry entry = new OutboxEntry();
    boolean isCongested;
    long roomBytes = Long.MAX_VALUE;
    Runnable onWake = () -> {};

    End(
        SolicitationConfig config,
        SolicitationResources resources,
        NodeBudgets budgets,
        RandomGenerator random,
        int flightMax) {
      window = new ToyWindow(random, config.datagramLengthBytes(), flightMax);
      application = new ToyApplication(random);
      application.firstRsn = config.agreed().txNumbers().rsn();
      application.isOrdered = config.isOrdered();
      transactions =
          new TransactionSublayer(
              PushSupplier.NEVER, resources.transactions(), counters, config.agreed());
      solicitation =
          new SolicitationSublayer(
              config, resources, budgets, this, transactions, counters, () -> onWake.run());
      application.solicitation = solicitation;
      application.transactions = transactions;
    }

    /** The connection ends, and the application hears of it. */
    void endAll(int code, String text) {
      solicitation.endAll(code, text);
      tellAll();
    }

    /** Tells the application all that there is to say. */
    void tellAll() {
      while (solicitation.poll(entry)) {
        application.tell(entry);
      }
    }

    @Override
    public boolean isCongested() {
      return isCongested;
    }

    @Override
    public long roomBytes() {
      return roomBytes;
    }

    @Override
    public long srttNs() {
      return 100_000;
    }
  }

  final SolicitationResources resources;
  final NodeBudgets budgets;
  final End left;
  final End right;
  final RandomGenerator random;
  long nowNs = Long.MAX_VALUE - 1_000_000;

  SolicitationPair(RandomGenerator random, Settings settings) {
    this(random, settings, NodeBudgets.of(settings.budgetBytes, settings.poolBytes));
  }

  SolicitationPair(RandomGenerator random, Settings settings, NodeBudgets shared) {
    this.random = random;
    resources =
        new SolicitationResources(
            new ContentAddressableMemory(settings.reorderCapacity, 99),
            new TransactionPool(7),
            new PacketTools(),
            new HoldingMemory());
    budgets = shared;
    left = new End(config(settings, 1), resources, budgets, random, settings.flightMax);
    right = new End(config(settings, 2), resources, budgets, random, settings.flightMax);
    left.application.peer = right.application;
    right.application.peer = left.application;
  }

  static final class Settings {
    int datagramLength = 1408;
    int creditBytes = 16 << 10;
    int outstandingMax = 256;
    int threshold = 8 << 10;
    int congestedThreshold = 256;
    long budgetBytes = 64 << 20;
    long poolBytes = 64 << 20;
    int reorderCapacity = 1024;
    int flightMax = 512;
    int firstRsn = -7;
    int firstSsn = -2;
    long aheadBytes = SolicitationConfig.GRANT_AHEAD_BYTES;
    long lengthMax = 4 << 20;
    boolean isOrdered = true;

    /** 0: what is completed is told at once, for the toy window has no turns. */
    long ackDelayNsMax = 0;
  }

  private static SolicitationConfig config(Settings s, int cid) {
    InitialNumbers numbers = new InitialNumbers(0, 0, s.firstRsn, s.firstSsn);
    return new SolicitationConfig(
        cid,
        new Agreement()
            .ordered(s.isOrdered)
            .datagramLengthBytes(s.datagramLength)
            .outstandingMax(s.outstandingMax)
            .solicitThresholdBytes(s.threshold)
            .initialCreditBytes(s.creditBytes)
            .messageLengthMax(s.lengthMax)
            .ackDelayNsMax(s.ackDelayNsMax)
            .longCredit()
            .numbers(numbers, numbers)
            .make(),
        s.congestedThreshold,
        s.aheadBytes,
        0,
        true,
        false);
  }

  End other(End end) {
    return end == left ? right : left;
  }

  /** Hands {@code most} packets of the other side up to {@code end}. */
  void deliver(End end, int most, boolean inOrder) {
    End from = other(end);
    end.burst.clear();
    from.window.deliver(end.burst, most, inOrder);
    if (random.nextInt(3) == 0 && !end.burst.isFull()) {
      ToyWindow.addAck(end.burst, from.solicitation.creditLimitBytes());
    }
    end.solicitation.onBurst(end.burst, nowNs);
    end.tellAll();
    assertThat(end.solicitation.failure()).isNull();
  }

  /** Answers whether a deadline was due. */
  boolean timeouts(End end) {
    long deadlineNs = end.solicitation.nextDeadlineNs();
    boolean isDue = deadlineNs != Long.MAX_VALUE && deadlineNs - nowNs <= 0;
    if (isDue) {
      end.solicitation.onTimeout(nowNs);
      end.tellAll();
    }
    return isDue;
  }

  /** One step of something. */
  void step() {
    End end = random.nextBoolean() ? left : right;
    nowNs += random.nextInt(200_000);
    switch (random.nextInt(6)) {
      case 0 -> end.window.pump(end.solicitation, nowNs);
      case 1, 2 -> deliver(end, 1 + random.nextInt(32), random.nextInt(4) == 0);
      case 3 -> end.window.acknowledge(end.solicitation, nowNs);
      case 4 -> end.application.act();
      default -> timeouts(end);
    }
  }

  int pump(End end) {
    return end.window.pump(end.solicitation, nowNs);
  }

  /** All in order and at once until nothing moves any more. */
  void settle() {
    for (int quiet = 0; quiet < 20; ) {
      int moved = 0;
      for (End end : new End[] {left, right}) {
        moved += pump(end);
        moved += other(end).window.inFlight();
        deliver(end, PacketBurst.CAPACITY - 1, true);
        end.window.acknowledge(end.solicitation, nowNs);
        end.application.act();
        timeouts(end);
      }
      nowNs += 1_000_000;
      quiet = moved == 0 ? quiet + 1 : 0;
    }
  }

  void checkAtRest() {
    for (End end : new End[] {left, right}) {
      assertThat(end.solicitation.creditUsedBytes()).as("credit used").isZero();
      assertThat(end.solicitation.heldBytes()).as("budget held").isZero();
      assertThat(end.counters.value(CounterId.CREDIT_IGNORED)).isZero();
      assertThat(end.counters.value(CounterId.COMPLETED_IGNORED)).isZero();
      assertThat(end.counters.value(CounterId.GRANTS_IGNORED)).isZero();
    }
    checkReleased();
  }

  /** Nothing of either end is left in what all share. */
  void checkReleased() {
    left.application.checkAllReleased();
    right.application.checkAllReleased();
    assertThat(budgets.solicitation().countedBytes()).isZero();
    assertThat(budgets.solicitation().pullBytes()).isZero();
    assertThat(budgets.solicitation().givenAwayBytes()).isZero();
    assertThat(budgets.solicitation().staleBytes()).isZero();
    assertThat(resources.reorderTable().size()).as("reorder entries").isZero();
    assertThat(resources.transactions().inUse()).as("transactions in use").isZero();
    assertThat(resources.holding().inUseBytes()).as("held bytes").isZero();
  }

  /** What hinders, for a failing test. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (End end : new End[] {left, right}) {
      int lowest = end.transactions.lowestUnended();
      text.append(end == left ? "left " : "right ").append(end.counters);
      text.append("\n  lowest own: ").append(end.transactions.findOwn(lowest));
      text.append(" at peer: ").append(other(end).transactions.peers().find(lowest));
      text.append(" peers: ").append(end.transactions.peers().size());
      text.append(" credit left: ").append(end.solicitation.creditLeftBytes());
      text.append(" held: ").append(end.solicitation.heldBytes());
      text.append(" owes: ").append(end.application.owes()).append('\n');
    }
    return text.toString();
  }
}
