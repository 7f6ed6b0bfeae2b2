package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.SegmentedDatagramPacket;
import io.rtransport.command.SocketKind;
import java.net.InetSocketAddress;

/**
 * Appends datagrams to a common buffer and gives them to the socket. They go one by one (sendmmsg
 * gathers them at the flush), or as runs of equal length for GSO, whose last datagram may be
 * shorter. One destination at a time.
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
   * Creates the writer.
   *
   * @param to the destination of all, or null for {@link #to}
   */
  DatagramWriter(boolean offload, SocketKind io, WorkCounter counter, InetSocketAddress to) {
    this.offload = offload;
    this.oneCallADatagram = io == SocketKind.NIO;
    this.counter = counter;
    this.to = to;
  }

  /** Changes the destination of the following datagrams. */
  void to(ChannelHandlerContext ctx, InetSocketAddress destination) {
    if (to != destination) {
      endRun(ctx);
      to = destination;
    }
  }

  /**
   * Returns the buffer to append the next datagram to, of exactly {@code lengthBytes}. {@link #end}
   * must follow.
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

  /** Ends the datagram. */
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

  /** Writes the gathered run, so that the next datagram does not join it. */
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
