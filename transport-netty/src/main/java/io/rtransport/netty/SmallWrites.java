package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.OutboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.write.CoalescedWrites;
import io.rtransport.netty.internal.write.Writability;

/**
 * Small bare buffers that were written with the void promise. Nobody waits for one of them, and
 * none can be given up. So they are copied into one run as they are written ({@link
 * CoalescedWrites}), and the core fills its packets from the run. The first of them waits as any
 * other message, in its own buffer. A second one behind it makes a run of both. Confined to the
 * event loop.
 */
final class SmallWrites implements PushSupplier {
  private final LinkedChannel channel;
  private final WriteQueue writes;
  private final Writability writability;

  SmallWrites(LinkedChannel channel, WriteQueue writes, Writability writability) {
    this.channel = channel;
    this.writes = writes;
    this.writability = writability;
  }

  /**
   * Copies {@code message} behind {@code last}, and releases it. {@code last} was written just
   * before and is not flushed.
   *
   * @return false if that cannot be; then nothing was done
   */
  boolean join(OutboundMessage last, ByteBuf message) {
    int length = message.readableBytes();
    if (last == null
        || !last.isVoid
        || length > LENGTH_BYTES_MAX
        || channel.config().writeCompletes() != WriteCompletes.COMPLETED
        || last.coalesced == null && !begin(last)
        || !last.coalesced.hasRoom(length)) {
      return false;
    }
    last.coalesced.append(message, message.readerIndex(), length);
    message.release();
    int pendingBytes = OutboundMessage.OVERHEAD_BYTES + length;
    last.pendingBytes += pendingBytes;
    writability.add(pendingBytes);
    return true;
  }

  /**
   * Makes a run of a message that stands alone, if it is small enough and the connection takes
   * runs.
   */
  private boolean begin(OutboundMessage alone) {
    int lengthMax =
        channel.link() == null ? NONE : channel.link().connection().verbs().readyPushLengthMax();
    if (alone.kind() != Kind.PLAIN
        || !alone.isBuffer
        || alone.completes() != WriteCompletes.COMPLETED
        || alone.lengthBytes > lengthMax) {
      return false;
    }
    alone.coalesced = channel.buffers().messageRuns().take();
    alone.coalesced.begin(lengthMax);
    alone.coalesced.append(alone.buffer(), alone.bufferStart, (int) alone.lengthBytes);
    alone.releasePayload();
    return true;
  }

  /**
   * Moves the content of a run that is flushed behind another into that one, if it fits. Without
   * that, a writer that flushes two messages at a time to a peer that does not read would use a
   * whole run for each pair. Returns false if the content does not fit.
   */
  boolean pour(OutboundMessage last, OutboundMessage next) {
    if (last == null
        || last.coalesced == null
        || next.coalesced == null
        || !last.coalesced.append(next.coalesced)) {
      return false;
    }
    last.pendingBytes += next.pendingBytes;
    next.pendingBytes = 0;
    return true;
  }

  /** Gives back the run of {@code entry}, which is over, with the rest of its content. */
  void release(OutboundMessage entry) {
    channel.buffers().messageRuns().give(entry.coalesced);
    entry.coalesced = null;
  }

  // ---- calls of the core

  @Override
  public boolean hasNext() {
    return writes.hasSubmittable();
  }

  @Override
  public int nextLengthBytes() {
    CoalescedWrites coalesced = writes.nextRun();
    return coalesced == null ? NONE : coalesced.nextLength();
  }

  @Override
  public void fill(Packet packet) {
    OutboundMessage entry = writes.firstFlushed();
    int before = pendingBytes(entry.coalesced);
    entry.coalesced.fill(packet, WriteCompletions.VOID_PLAIN_TAG);
    int taken = before - pendingBytes(entry.coalesced);
    entry.pendingBytes -= taken;
    writability.remove(taken);
    if (entry.coalesced.count() == 0) {
      writes.runTaken();
    }
  }

  private static int pendingBytes(CoalescedWrites coalesced) {
    return coalesced.count() * OutboundMessage.OVERHEAD_BYTES + coalesced.lengthBytes();
  }
}
