package io.rtransport.core.solicitation;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.wire.PacketTools;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Two ends that are polled by whoever tests, and answered by verbs. */
final class VerbPair {
  static final int RSN = -7;

  /** Takes an entry; the verbs are the end's. */
  interface Consumer {
    void on(OutboxEntry entry);
  }

  static final class End implements PathView, PayloadSource {
    final Counters counters = new Counters();
    final ToyWindow window;
    final TransactionSublayer transactions;
    final SolicitationSublayer solicitation;
    final PacketBurst burst = new PacketBurst();
    final OutboxEntry entry = new OutboxEntry();
    Consumer consumer = e -> {};
    final Map<Long, Long> sourceTags = new HashMap<>();
    private final Map<Long, Long> sourceLengths = new HashMap<>();
    final Map<Long, Integer> releases = new HashMap<>();
    final Set<Long> kept = new HashSet<>();
    final Set<Long> behind = new HashSet<>();
    final Set<Long> unready = new HashSet<>();
    RandomGenerator slow;
    long nextHandle = 1000;
    long nextTag;

    End(
        SolicitationConfig config,
        SolicitationResources resources,
        NodeBudgets budgets,
        RandomGenerator random) {
      window = new ToyWindow(random, config.datagramLengthBytes(), 512);
      transactions =
          new TransactionSublayer(
              PushSupplier.NEVER, resources.transactions(), counters, config.agreed());
      solicitation =
          new SolicitationSublayer(
              config, resources, budgets, this, transactions, counters, () -> {});
    }

    long push(long length) {
      long tag = nextTag;
      ByteBuffer header = ByteBuffer.allocate(12).putLong(0, tag).putInt(8, (int) length);
      long handle = nextHandle++;
      sourceTags.put(handle, tag);
      sourceLengths.put(handle, length);
      if (!transactions.submitPush(this, handle, length, header, 0, 12, tag, true)) {
        sourceTags.remove(handle);
        return -1;
      }
      return nextTag++;
    }

    long pull(long length) {
      long tag = nextTag;
      ByteBuffer header = ByteBuffer.allocate(12).putLong(0, tag).putInt(8, (int) length);
      if (!transactions.submitPull(length, header, 0, 12, tag)) {
        return -1;
      }
      return nextTag++;
    }

    boolean respond(long rsn, long tag, long length) {
      long handle = nextHandle++;
      sourceTags.put(handle, -1 - tag);
      sourceLengths.put(handle, length);
      boolean isTaken = transactions.inbound().respond(rsn, this, handle, length);
      if (!isTaken) {
        sourceTags.remove(handle);
      }
      return isTaken;
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      if (releases.containsKey(handle)) {
        throw new AssertionError("copied after release");
      }
      long tag = sourceTags.get(handle);
      int count = length;
      if (slow != null && slow.nextInt(6) == 0) {
        count = slow.nextInt(length + 1);
        unready.add(handle);
      }
      for (int i = 0; i < count; i++) {
        to.put(index + i, content(tag, offset + i));
      }
      if (offset + count == sourceLengths.get(handle)) {
        onSourceReleased(handle);
      }
      return count;
    }

    static byte content(long tag, long offset) {
      return tag >= 0
          ? ToyApplication.contentAt(tag, false, offset)
          : ToyApplication.contentAt(-1 - tag, true, offset);
    }

    void onSourceReleased(long handle) {
      if (releases.merge(handle, 1, Integer::sum) > 1) {
        throw new AssertionError("released twice");
      }
    }

    long untakenBytesMax(long handle) {
      return behind.contains(handle) ? 80 << 10 : Long.MAX_VALUE;
    }

    boolean poll() {
      return solicitation.poll(entry);
    }

    void drain() {
      int entries = 0;
      while (solicitation.poll(entry)) {
        consumer.on(entry);
        if (++entries > 100_000) {
          throw new AssertionError("a drain without end");
        }
      }
    }

    @Override
    public boolean isCongested() {
      return false;
    }

    @Override
    public long roomBytes() {
      return Long.MAX_VALUE;
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
  long nowNs = 1_000_000;

  VerbPair(RandomGenerator random, boolean isOrdered, long budgetBytes, int outstandingMax) {
    this.random = random;
    resources =
        new SolicitationResources(
            new ContentAddressableMemory(1024, 99),
            new TransactionPool(7),
            new PacketTools(),
            new HoldingMemory());
    budgets = NodeBudgets.of(budgetBytes, 64 << 20);
    left = new End(config(1, isOrdered, outstandingMax), resources, budgets, random);
    right = new End(config(2, isOrdered, outstandingMax), resources, budgets, random);
  }

  private static SolicitationConfig config(int cid, boolean isOrdered, int outstandingMax) {
    InitialNumbers numbers = new InitialNumbers(0, 0, RSN, -2);
    return new SolicitationConfig(
        cid,
        new Agreement()
            .ordered(isOrdered)
            .outstandingMax(outstandingMax)
            .longCredit()
            .numbers(numbers, numbers)
            .make(),
        256,
        SolicitationConfig.GRANT_AHEAD_BYTES,
        0,
        true,
        false);
  }

  End other(End end) {
    return end == left ? right : left;
  }

  int pump(End end) {
    return end.window.pump(end.solicitation, nowNs);
  }

  /** Hands packets up, and does not poll. */
  void arrive(End end, int most, boolean inOrder) {
    end.burst.clear();
    other(end).window.deliver(end.burst, most, inOrder);
    end.solicitation.onBurst(end.burst, nowNs);
  }

  boolean timeouts(End end) {
    boolean isDue = false;
    if (end.solicitation.nextDeadlineNs() <= nowNs) {
      end.solicitation.onTimeout(nowNs);
      isDue = true;
    }
    if (end.transactions.nextDeadlineNs() <= nowNs) {
      end.transactions.onTimeout(nowNs);
      isDue = true;
    }
    end.drain();
    return isDue;
  }

  /** One exchange in each direction, and what comes of it. */
  int exchange() {
    int moved = 0;
    for (End end : new End[] {left, right}) {
      moved += pump(end);
      moved += other(end).window.inFlight();
      arrive(end, PacketBurst.CAPACITY - 1, true);
      end.drain();
      end.window.acknowledge(end.solicitation, nowNs);
      timeouts(end);
    }
    nowNs += 1_000_000;
    return moved;
  }

  void settle() {
    for (int quiet = 0; quiet < 20; ) {
      quiet = exchange() == 0 ? quiet + 1 : 0;
    }
  }
}
