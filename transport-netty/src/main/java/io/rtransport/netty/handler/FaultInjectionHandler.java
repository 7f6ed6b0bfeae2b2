package io.rtransport.netty.handler;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.burst.PacketBurst;
import java.nio.ByteBuffer;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Loses, delays, reorders, duplicates and corrupts single packets, in both directions, from a seed:
 * a bad network inside one process. It stands first in the pipeline, <i>below</i> {@code rt-wire},
 * so every packet passes it before the integrity check. So the checksum must catch a corrupted
 * packet; luck cannot. {@link #addTo} puts the handler there. Packets of set-up that belong to no
 * connection yet do not pass it.
 */
public final class FaultInjectionHandler extends ChannelDuplexHandler {
  /** Its name in the pipeline. */
  public static final String NAME = "rt-faults";

  private final Direction inbound;
  private final Direction outbound;
  private ChannelHandlerContext context;
  private SublayerPipeline channel;
  private volatile int darkPaths;

  /** A packet that is held back for a while. */
  private record Held(ByteBuffer bytes, int path, long dueNs, long order)
      implements Comparable<Held> {
    @Override
    public int compareTo(Held other) {
      return dueNs != other.dueNs
          ? Long.compare(dueNs, other.dueNs)
          : Long.compare(order, other.order);
    }
  }

  /**
   * @param inbound faults of packets that arrive
   * @param outbound faults of packets that leave
   * @param seed the same seed and the same packets give the same faults
   */
  public FaultInjectionHandler(Faults inbound, Faults outbound, long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    this.inbound = new Direction(inbound, seeds.split(), false);
    this.outbound = new Direction(outbound, seeds.split(), true);
  }

  /** Adds the handler to the pipeline of {@code to}, in the first place. */
  public FaultInjectionHandler addTo(Channel to) {
    to.pipeline().addFirst(NAME, this);
    return this;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    if (!(ctx.channel() instanceof SublayerPipeline sublayers)) {
      throw new IllegalStateException(
          "channel=" + ctx.channel().getClass().getSimpleName() + " must be an RtChannel");
    }
    context = ctx;
    channel = sublayers;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    context = null;
    inbound.clear();
    outbound.clear();
  }

  /**
   * Makes paths of the connection dark, and all others light: what leaves or arrives on them is
   * lost, and the transport is not told. Any thread; it holds from the next burst on.
   *
   * @param mask a bit for each index of a path, as {@link PacketBurst#pathIndex} has it; 0: none
   */
  public void darkPaths(int mask) {
    darkPaths = mask;
  }

  private boolean isDark(int pathIndex) {
    return pathIndex >= 0 && pathIndex < Integer.SIZE && (darkPaths >>> pathIndex & 1) != 0;
  }

  private boolean isActive(Direction direction) {
    return !direction.faults.isNone() || darkPaths != 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst && isActive(inbound)) {
      inbound.apply(burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof PacketBurst burst && isActive(outbound)) {
      ctx.write(outbound.apply(burst), promise);
    } else {
      ctx.write(message, promise);
    }
  }

  /**
   * Returns the number of packets that have met the handler so far, in both directions. A direction
   * without faults is not counted. Exact on the event loop; on another thread the number may be
   * slightly old.
   */
  public long packetCount() {
    return inbound.packets + outbound.packets;
  }

  /**
   * Returns the number of packets lost so far, in both directions. Exact on the event loop; on
   * another thread the number may be slightly old.
   */
  public long lostCount() {
    return inbound.lost + outbound.lost;
  }

  /**
   * Returns the number of packets lost on dark paths so far, likewise; not in {@link #lostCount}.
   */
  public long darkCount() {
    return inbound.dark + outbound.dark;
  }

  public long duplicatedCount() {
    return inbound.duplicated + outbound.duplicated;
  }

  public long reorderedCount() {
    return inbound.reordered + outbound.reordered;
  }

  public long corruptedCount() {
    return inbound.corrupted + outbound.corrupted;
  }

  /** Faults of one direction. */
  private final class Direction {
    private final Faults faults;
    private final SplittableRandom random;
    private final boolean isOutbound;
    private final PacketBurst passing = new PacketBurst();
    private final PacketBurst late = new PacketBurst();
    private final PriorityQueue<Held> held = new PriorityQueue<>();
    private final Runnable release = this::release;
    private ScheduledFuture<?> scheduled;
    private long scheduledNs;
    private long order;
    private long packets;
    private long lost;
    private long dark;
    private long duplicated;
    private long reordered;
    private long corrupted;

    Direction(Faults faults, SplittableRandom random, boolean isOutbound) {
      this.faults = faults;
      this.random = random;
      this.isOutbound = isOutbound;
    }

    /**
     * Returns the packets of {@code burst} that go on now. Inbound this is the burst itself.
     * Outbound it is another burst, because the bytes belong to the store.
     */
    PacketBurst apply(PacketBurst burst) {
      long nowNs = context.executor().ticker().nanoTime();
      PacketBurst out = isOutbound ? passing : burst;
      if (isOutbound) {
        passing.clear();
      }
      for (int i = 0; i < burst.count(); i++) {
        if (burst.isDropped(i)) {
          continue;
        }
        packets++;
        if (isDark(burst.pathIndex(i))) {
          dark++;
          drop(burst, i);
          continue;
        }
        if (random.nextDouble() < faults.loss()) {
          lost++;
          drop(burst, i);
          continue;
        }
        boolean isCorrupt = random.nextDouble() < faults.corrupt();
        corrupted += isCorrupt ? 1 : 0;
        if (random.nextDouble() < faults.duplicate()) {
          duplicated++;
          hold(burst.copy(i), burst.pathIndex(i), nowNs + delayNs());
        }
        boolean isOvertaken = random.nextDouble() < faults.reorder();
        reordered += isOvertaken ? 1 : 0;
        long delayNs = delayNs() + (isOvertaken ? 1 + random.nextLong(Faults.REORDER_NS_MAX) : 0);
        if (delayNs > 0) {
          hold(
              isCorrupt ? flip(burst.copy(i)) : burst.copy(i), burst.pathIndex(i), nowNs + delayNs);
          drop(burst, i);
        } else {
          pass(burst, i, isCorrupt);
        }
      }
      return out;
    }

    private void drop(PacketBurst burst, int i) {
      if (!isOutbound) {
        burst.drop(i);
      }
    }

    private void pass(PacketBurst burst, int i, boolean isCorrupt) {
      if (isOutbound && isCorrupt) {
        ByteBuffer copy = flip(burst.copy(i));
        passing.add(copy, 0, copy.capacity(), burst.pathIndex(i), PacketBurst.TRANSIENT);
      } else if (isOutbound) {
        passing.add(
            burst.buffer(i), burst.offset(i), burst.length(i), burst.pathIndex(i), burst.token(i));
      } else if (isCorrupt) {
        flip(burst.buffer(i), burst.offset(i), burst.length(i));
      }
    }

    private ByteBuffer flip(ByteBuffer packet) {
      flip(packet, 0, packet.capacity());
      return packet;
    }

    private void flip(ByteBuffer buffer, int offset, int length) {
      int index = offset + random.nextInt(length);
      buffer.put(index, (byte) (buffer.get(index) ^ 1 << random.nextInt(8)));
    }

    private long delayNs() {
      return faults.delayNs()
          + (faults.jitterNs() > 0 ? random.nextLong(faults.jitterNs() + 1) : 0);
    }

    private void hold(ByteBuffer bytes, int path, long dueNs) {
      held.add(new Held(bytes, path, dueNs, order++));
      arm();
    }

    private void arm() {
      Held next = held.peek();
      if (next == null || (scheduled != null && scheduledNs <= next.dueNs())) {
        return;
      }
      if (scheduled != null) {
        scheduled.cancel(false);
      }
      scheduledNs = next.dueNs();
      long delayNs = Math.max(0, scheduledNs - context.executor().ticker().nanoTime());
      scheduled = context.executor().schedule(release, delayNs, TimeUnit.NANOSECONDS);
    }

    private void release() {
      scheduled = null;
      if (context != null) {
        channel.runTurn(this::releaseDue);
        arm();
      }
    }

    private void releaseDue() {
      long nowNs = context.executor().ticker().nanoTime();
      while (context != null && !held.isEmpty() && held.peek().dueNs() <= nowNs) {
        late.clear();
        while (!late.isFull() && !held.isEmpty() && held.peek().dueNs() <= nowNs) {
          Held packet = held.poll();
          late.add(
              packet.bytes(), 0, packet.bytes().capacity(), packet.path(), PacketBurst.TRANSIENT);
        }
        if (isOutbound) {
          context.write(late, context.voidPromise());
        } else {
          channel.receive(context, late);
        }
      }
      late.clear();
    }

    void clear() {
      held.clear();
      if (scheduled != null) {
        scheduled.cancel(false);
        scheduled = null;
      }
    }
  }
}
