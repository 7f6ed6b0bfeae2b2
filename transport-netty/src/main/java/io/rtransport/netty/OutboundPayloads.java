package io.rtransport.netty;

import io.rtransport.core.transaction.PayloadSource;
import io.rtransport.netty.internal.write.Writability;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Source of the bytes of writes for the core. Its handles are slots of the {@link OutboundPool}.
 * Bytes that are copied do not count as waiting any more; after the last byte the payload is
 * released. Confined to the event loop.
 */
final class OutboundPayloads implements PayloadSource {
  private final LinkedChannel channel;
  private final WriteQueue writes;
  private final OutboundPool pool;
  private final Writability writability;
  private ByteBuffer target;
  private ByteBuffer targetView;
  private IOException failure;

  OutboundPayloads(
      LinkedChannel channel, WriteQueue writes, OutboundPool pool, Writability writability) {
    this.channel = channel;
    this.writes = writes;
    this.pool = pool;
    this.writability = writability;
  }

  @Override
  public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    OutboundMessage entry = pool.bySlot((int) handle);
    int copied = length;
    if (entry.isBuffer) {
      if (to != target) {
        target = to;
        targetView = to.duplicate();
      }
      entry
          .buffer()
          .getBytes(
              entry.bufferStart + (int) offset, targetView.limit(index + length).position(index));
    } else {
      try {
        copied = copy(entry.payload, offset, to, index, length);
        if (copied < 0 || copied > length) {
          throw new IOException(
              entry.payload.getClass().getName()
                  + ".copy returned "
                  + copied
                  + ", valid: 0 to "
                  + length);
        }
      } catch (IOException e) {
        return fail(e);
      } catch (RuntimeException e) {
        return fail(new IOException(e.toString(), e));
      }
    }
    if (offset + copied < entry.lengthBytes) {
      long settled = Math.min(entry.pendingBytes - OutboundMessage.OVERHEAD_BYTES, copied);
      entry.pendingBytes -= settled;
      writability.remove(settled);
    } else {
      entry.isWholeCopied = true;
      writes.onReleased(entry);
    }
    return copied;
  }

  private int copy(RtPayload payload, long offset, ByteBuffer to, int index, int length)
      throws IOException {
    if (payload.isPrompt()) {
      return payload.copy(offset, to, index, length);
    }
    long beganNs = SlowCalls.nowNs(channel);
    try {
      return payload.copy(offset, to, index, length);
    } finally {
      SlowCalls.judge(channel, payload, "copy", beganNs);
    }
  }

  private int fail(IOException cause) {
    failure = cause;
    channel.link().pumpDue();
    return 0;
  }

  /** Returns why a payload could not be read, once; else null. */
  IOException takeFailure() {
    IOException taken = failure;
    failure = null;
    return taken;
  }
}
