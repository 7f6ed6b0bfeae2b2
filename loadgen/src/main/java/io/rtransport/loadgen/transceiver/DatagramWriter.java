package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.rtransport.command.SocketKind;
import java.net.InetSocketAddress;

/**
 * Lays datagrams end to end in a common buffer and hands them to the socket: one by one (sendmmsg
 * gathers them at the flush), or as runs of equal length for GSO, of which the last may be shorter.
 * For one destination at a time.
 */
final class DatagramWriter {
  private static final int BATCH_BYTES = 64 << 10;
  private static final int RUN_SEGMENTS_MAX = 64;
  private static final int RUN_BYTES_MAX = 65_507;

  private final boolean offload;
  private final boolean oneCallADatagram;
  private final WorkCounter counter;
  private InetSocketAddress to;
  private ByteBuf batch;
  private int runStart;
  private int runSegments;
  private int segmentBytes;
  private int written;

  /**
   * @param to the destination of all, or null for {@link #to}
   */
  DatagramWriter(boolean offload, SocketKind io, WorkCounter counter, InetSocketAddress to) {
    this.offload = offload;
    this.oneCallADatagram = io == SocketKind.NIO;
    this.counter = counter;
    this.to = to;
  }

  /** Changes the destination of what follows. */
  void to(ChannelHandlerContext ctx, InetSocketAddress destination) {
    if (to != destination) {
      endRun(ctx);
      to = destination;
    }
  }

  /**
   * Where to append the next datagram, of exactly {@code lengthBytes}; {@link #end} must follow.
   */
  ByteBuf begin(ChannelHandlerContext ctx, int lengthBytes) {
    boolean fits =
        runSegments > 0
            && lengthBytes <= segmentBytes
            && runSegments < RUN_SEGMENTS_MAX
            && batch.writerIndex() - runStart + lengthBytes <= RUN_BYTES_MAX;
    if (!offload || !fits) {
      endRun(ctx);
    }
    if (batch != null && batch.writableBytes() < lengthBytes) {
      endRun(ctx);
      batch.release();
      batch = null;
    }
    if (batch == null) {
      batch = ctx.alloc().directBuffer(BATCH_BYTES, BATCH_BYTES);
      runStart = 0;
    }
    if (runSegments == 0) {
      segmentBytes = lengthBytes;
    }
    return batch;
  }

  /** The datagram begun is whole. */
  void end(ChannelHandlerContext ctx, int lengthBytes) {
    runSegments++;
    counter.datagramsSent++;
    if (!offload || lengthBytes < segmentBytes) {
      endRun(ctx);
    }
  }

  void flush(ChannelHandlerContext ctx) {
    endRun(ctx);
    if (written > 0) {
      counter.socketCalls += oneCallADatagram ? written : 1 + (written - 1) / 1_024;
      written = 0;
      ctx.flush();
    }
  }

  /** Hands on what was gathered, so that the next datagram does not join its run. */
  void endRun(ChannelHandlerContext ctx) {
    if (runSegments == 0) {
      return;
    }
    int end = batch.writerIndex();
    ByteBuf run = batch.retainedSlice(runStart, end - runStart);
    Object message = run;
    if (runSegments > 1) {
      message = new SegmentedDatagramPacket(run, segmentBytes, to);
    } else {
      message = new DatagramPacket(run, to);
    }
    ctx.write(message, ctx.voidPromise());
    written++;
    runSegments = 0;
    runStart = end;
  }

  void release() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
