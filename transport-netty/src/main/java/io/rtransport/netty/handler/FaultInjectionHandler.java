package io.rtransport.netty.handler;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.ScheduledFuture;
import io.rtransport.core.wire.PacketBurst;
import java.nio.ByteBuffer;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * Loses, delays, reorders, duplicates and corrupts single packets, both ways, by a seed: what a bad
 * network does, inside one process. It stands first in the pipeline, <i>below</i> {@code rt-wire},
 * so that every packet meets it before its integrity is checked: a corrupted one must be caught by
 * the checksum, not by luck. {@link #addTo} puts it there. Packets of set-up that belong to no
 * connection yet pass it by.
 */
public final class FaultInjectionHandler extends ChannelDuplexHandler {
  /** Its name in the pipeline. */
  public static final String NAME = "rt-faults";

  private final Direction inbound;
  private final Direction outbound;
  private ChannelHandlerContext context;
  private SublayerPipeline channel;

  /** A packet that is on its way for a while. */
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
   * @param inbound what befalls packets that arrive
   * @param outbound what befalls packets that leave
   * @param seed the same seed and the same packets give the same faults
   */
  public FaultInjectionHandler(Faults inbound, Faults outbound, long seed) {
    SplittableRandom seeds = new SplittableRandom(seed);
    this.inbound = new Direction(inbound, seeds.split(), false);
    this.outbound = new Direction(outbound, seeds.split(), true);
  }

  /** Puts the handler where it belongs. */
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

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PacketBurst burst && !inbound.faults.isNone()) {
      inbound.apply(burst);
    }
    ctx.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof PacketBurst burst && !outbound.faults.isNone()) {
      ctx.write(outbound.apply(burst), promise);
    } else {
      ctx.write(message, promise);
    }
  }

  /**
   * Packets that met the handler so far, both ways, one way without faults left out. Read on the
   * event loop, or a moment old.
   */
  public long packetCount() {
    return inbound.packets + outbound.packets;
  }

  /** Packets lost so far, both ways. Read on the event loop, or a moment old. */
  public long lostCount() {
    return inbound.lost + outbound.lost;
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

  /** One way. */
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
    private long duplicated;
    private long reordered;
    private long corrupted;

    Direction(Faults faults, SplittableRandom random, boolean isOutbound) {
      this.faults = faults;
      this.random = random;
      this.isOutbound = isOutbound;
    }

    /**
     * What is left of {@code burst} for now. Inbound that is the burst itself; outbound another,
     * for its bytes are the store's.
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
