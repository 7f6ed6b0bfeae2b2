package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketTools;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Messages of every kind flow without an allocation once the pools have what they need. */
class SteadyStateAllocationTest implements PayloadSource, AcknowledgementView {
  private static final int ROUNDS_WARM = 3_000;
  private static final int ROUNDS = 2_000;
  private static final int MESSAGES = 40;

  private final SolicitationResources resources =
      new SolicitationResources(
          new ContentAddressableMemory(1024, 1),
          new TransactionPool(7),
          new PacketTools(),
          new HoldingMemory());
  private final NodeBudgets budgets = NodeBudgets.defaults();
  private final ByteBuffer header = ByteBuffer.allocate(16);
  private final ByteBuffer[] packets = new ByteBuffer[PacketBurst.CAPACITY];
  private final NumberedHeaderFlyweight numbered = new NumberedHeaderFlyweight();
  private final PacketBurst burst = new PacketBurst();
  private End left = new End(1, true);
  private End right = new End(2, true);
  private boolean isReversed;
  private boolean isReady;

  private final class End implements PathView, PushSupplier {
    final TransactionSublayer transactions;
    int readyCount;
    final byte[] readyBytes = new byte[64];
    final SolicitationSublayer solicitation;
    final OutboxEntry entry = new OutboxEntry();
    long ended;
    long passed;

    void tellAll() {
      while (solicitation.poll(entry)) {
        tell();
      }
    }

    End(int cid, boolean isOrdered) {
      SolicitationConfig config =
          new SolicitationConfig(
              cid,
              new Agreement()
                  .ordered(isOrdered)
                  .outstandingMax(1_024)
                  .headerLengthMax(64)
                  .initialCreditBytes(1 << 20)
                  .messageLengthMax(1 << 30)
                  .make(),
              8 << 10,
              4 << 20,
              0,
              true,
              false);
      Counters counters = new Counters();
      transactions =
          new TransactionSublayer(this, resources.transactions(), counters, config.agreed());
      solicitation =
          new SolicitationSublayer(
              config, resources, budgets, this, transactions, counters, () -> {});
    }

    private void tell() {
      long rsn = entry.rsn();
      switch (entry.kind()) {
        case MESSAGE -> {
          passed++;
          transactions.inbound().acknowledge(rsn);
        }
        case OPENED -> {
          if (entry.isAnswer()) {
            solicitation.sinks().acceptAnswer(rsn, rsn, Long.MAX_VALUE);
          } else {
            solicitation.sinks().accept(rsn, rsn, false, Long.MAX_VALUE);
          }
        }
        case BYTES -> {
          if (entry.isAnswer()) {
            solicitation.sinks().takenOfPull(rsn, entry.length());
          } else {
            solicitation.sinks().taken(rsn, entry.length());
          }
        }
        case DELIVERED -> transactions.inbound().acknowledge(entry.handle());
        case REQUESTED ->
            transactions
                .inbound()
                .respond(rsn, SteadyStateAllocationTest.this, 0, entry.limitBytes());
        case ENDED -> ended += entry.outcome() == Outcome.COMPLETED ? entry.count() : 0;
        default -> {}
      }
    }

    @Override
    public boolean hasNext() {
      return readyCount > 0;
    }

    @Override
    public int nextLengthBytes() {
      return readyCount > 0 ? 64 : NONE;
    }

    @Override
    public void fill(Packet packet) {
      while (readyCount > 0 && packet.put(readyBytes, 0, readyBytes.length, 0) != Packet.FULL) {
        readyCount--;
      }
    }

    @Override
    public boolean isCongested() {
      return false;
    }

    @Override
    public long srttNs() {
      return 0;
    }
  }

  SteadyStateAllocationTest() {
    for (int i = 0; i < packets.length; i++) {
      packets[i] = ByteBuffer.allocateDirect(1408);
    }
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    return length;
  }

  @Override
  public boolean isAcknowledged(WindowClass windowClass, int psn) {
    return true;
  }

  @Override
  public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
    return isAcknowledged(windowClass, psn);
  }

  @Override
  public boolean isAllAcknowledged() {
    return true;
  }

  private int carry(End from, End to) {
    burst.clear();
    for (int w = 0; w < 2; w++) {
      WindowClass windowClass = w == 0 ? WindowClass.REQUEST : WindowClass.DATA;
      while (!burst.isFull() && from.solicitation.hasRecords(windowClass, 1)) {
        ByteBuffer packet = packets[burst.count()];
        packet.put(1, (byte) PacketType.of(windowClass));
        int length = from.solicitation.pullRecords(windowClass, 1, packet, 36, 1392, 1);
        if (length == 0) {
          break;
        }
        numbered.wrap(packet, 0).flags(0).recordCount(from.solicitation.pulledRecordCount());
        burst.add(packet, 0, 36 + length + 4, 0, PacketBurst.TRANSIENT);
      }
    }
    int count = burst.count();
    if (isReversed) {
      reverse(count);
    }
    to.solicitation.onBurst(burst, 1);
    to.tellAll();
    from.solicitation.onAcknowledged(this, 1);
    return count;
  }

  private void reverse(int count) {
    burst.clear();
    for (int i = count - 1; i >= 0; i--) {
      burst.add(packets[i], 0, 1408, 0, PacketBurst.TRANSIENT);
    }
  }

  private void round(int length, boolean isPull) {
    left.readyCount += isReady ? MESSAGES : 0;
    for (int i = 0; !isReady && i < MESSAGES; i++) {
      boolean isTaken =
          isPull
              ? left.transactions.submitPull(length, header, 0, 16, i)
              : left.transactions.submitPush(this, 0, length, header, 0, 16, i, true);
      if (!isTaken) {
        throw new AssertionError("no room");
      }
    }
    while (carry(left, right) + carry(right, left) > 0) {
      // Until nothing moves.
    }
  }

  private long allocatedPerMessage(int length, boolean isPull) {
    for (int i = 0; i < ROUNDS_WARM; i++) {
      round(length, isPull);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < ROUNDS; i++) {
      round(length, isPull);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(left.ended).isPositive();
    return bytes / ((long) ROUNDS * MESSAGES);
  }

  @Test
  void shouldAllocateNothingForSmallPushes() {
    assertThat(allocatedPerMessage(64, false)).isZero();
    assertThat(resources.transactions().inUse()).isZero();
  }

  @Test
  void shouldAllocateNothingForSmallPushesThatArriveOutOfOrder() {
    isReversed = true;
    assertThat(allocatedPerMessage(64, false)).isZero();
    assertThat(resources.reorderTable().size()).isZero();
  }

  @Test
  void shouldAllocateNothingOnAnUnorderedConnection() {
    left = new End(1, false);
    right = new End(2, false);
    isReversed = true;
    assertThat(allocatedPerMessage(64, false)).isZero();
    assertThat(allocatedPerMessage(64, true)).isZero();
    assertThat(allocatedPerMessage(9_000, false)).isZero();
    assertThat(resources.transactions().inUse()).isZero();
    assertThat(budgets.solicitation().countedBytes()).isZero();
  }

  @Test
  void shouldAllocateNothingForPushesThatAreTakenAsTheyAreReady() {
    isReady = true;
    assertThat(allocatedPerMessage(64, false)).isZero();
    assertThat(left.readyCount).isZero();
  }

  @Test
  void shouldAllocateNothingForPushesThatPass() {
    isReady = true;
    left.solicitation.wholeLengthMax(Integer.MAX_VALUE);
    right.solicitation.wholeLengthMax(Integer.MAX_VALUE);
    assertThat(allocatedPerMessage(64, false)).isZero();
    assertThat(right.passed).isEqualTo(left.ended);
  }

  @Test
  void shouldAllocateNothingForPulls() {
    assertThat(allocatedPerMessage(64, true)).isZero();
  }

  @Test
  void shouldAllocateNothingForSolicitedPushes() {
    assertThat(allocatedPerMessage(9_000, false)).isZero();
    assertThat(budgets.solicitation().countedBytes()).isZero();
  }

  @Test
  void shouldStreamAGibibyteBothWaysWithinTheGrantsAhead() {
    round(9_000, false);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    long ended = left.ended;
    left.transactions.submitPush(this, 0, 1 << 30, header, 0, 16, 1, true);
    left.transactions.submitPull(1 << 30, header, 0, 16, 2);
    long heldMax = 0;
    while (carry(left, right) + carry(right, left) > 0) {
      heldMax = Math.max(heldMax, budgets.solicitation().countedBytes());
    }
    assertThat(left.ended).isEqualTo(ended + 2);
    assertThat(heldMax)
        .as("granted ahead, both ways")
        .isPositive()
        .isLessThanOrEqualTo(2 * (4 << 20) + (64 << 10));
    assertThat(budgets.solicitation().countedBytes()).isZero();
    assertThat(threads.getCurrentThreadAllocatedBytes() - before)
        .as("for 2 GiB")
        .isLessThan(1 << 20);
  }
}
