package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * One socket of the raw UDP server. It finds each datagram's peer by its address, verifies it, and
 * acknowledges (once for each read batch and peer, or for a quarter of the window), echoes or
 * answers. Confined to its event loop.
 */
final class UdpServerHandler extends ChannelInboundHandlerAdapter {
  private static final class Peer {
    final InetSocketAddress address;
    final WorkCounter counter;
    final DatagramAcks acks;
    boolean touched;

    Peer(InetSocketAddress address, WorkCounter counter, int mtuBytes) {
      acks = new DatagramAcks(mtuBytes);
      this.address = address;
      this.counter = counter;
    }
  }

  private final Op op;
  private final int mtuBytes;
  private final int ackDatagramsMax;
  private final MessageContents contents;
  private final Ledger ledger;
  private final WorkCounter counter;
  private final DatagramWriter writer;
  private final Map<InetSocketAddress, Peer> peers = new HashMap<>();
  private Peer[] touched = new Peer[4];
  private int touchedCount;
  private Peer last;

  UdpServerHandler(
      TransceiverSettings settings,
      int mtuBytes,
      boolean offload,
      Ledger ledger,
      WorkCounter counter) {
    this.op = settings.op();
    this.mtuBytes = mtuBytes;
    this.ackDatagramsMax = Math.max(1, settings.windowPackets() / 4);
    this.contents = new MessageContents(settings.seed(), mtuBytes);
    this.ledger = ledger;
    this.counter = counter;
    this.writer = new DatagramWriter(offload, settings.io(), counter, null);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    DatagramPacket packet = (DatagramPacket) message;
    ByteBuf in = packet.content();
    try {
      Peer peer = peer(ctx, packet.sender());
      int index = in.readerIndex();
      while (in.writerIndex() - index >= MessageHeader.LENGTH) {
        int left = in.writerIndex() - index;
        int length =
            op == Op.PULL ? MessageHeader.LENGTH : datagramBytes(in, index, left, mtuBytes);
        onDatagram(ctx, peer, in, index, length);
        index += length;
      }
    } finally {
      in.release();
    }
  }

  /**
   * Returns the length of the datagram at {@code index}: the length in its header if that is
   * possible, because with GRO more may follow. Otherwise it is the rest of the buffer.
   */
  static int datagramBytes(ByteBuf in, int index, int leftBytes, int mtuBytes) {
    int claimed = MessageHeader.lengthBytes(in, index);
    return claimed >= MessageHeader.LENGTH && claimed <= Math.min(leftBytes, mtuBytes)
        ? claimed
        : leftBytes;
  }

  private void onDatagram(ChannelHandlerContext ctx, Peer peer, ByteBuf in, int index, int length) {
    counter.datagramsReceived++;
    if (op == Op.PULL) {
      answer(
          ctx,
          peer,
          MessageHeader.sequence(in, index),
          MessageHeader.lengthBytes(in, index),
          MessageHeader.isMeasured(in, index));
      return;
    }
    if (!peer.counter.verifier.onMessage(in, index, length)) {
      return;
    }
    if (op == Op.ECHO) {
      writer.to(ctx, peer.address);
      writer.begin(ctx, length).writeBytes(in, index, length);
      writer.end(ctx, length);
      return;
    }
    peer.acks.add(peer.counter.verifier.sequence());
    if (peer.acks.isFull() || peer.acks.datagrams() >= ackDatagramsMax) {
      acknowledge(ctx, peer);
      writer.flush(ctx);
    }
  }

  private void answer(
      ChannelHandlerContext ctx, Peer peer, long first, int lengthBytes, boolean measured) {
    writer.to(ctx, peer.address);
    // The client never asks for more than its window. A damaged request must not cause a flood.
    int count = Math.min(Fragments.count(lengthBytes, mtuBytes), ackDatagramsMax * 4);
    for (int i = 0; i < count; i++) {
      int fragmentBytes = Fragments.lengthBytes(i, lengthBytes, mtuBytes);
      contents.writeMessage(writer.begin(ctx, fragmentBytes), first + i, fragmentBytes, measured);
      writer.end(ctx, fragmentBytes);
    }
  }

  private void acknowledge(ChannelHandlerContext ctx, Peer peer) {
    writer.to(ctx, peer.address);
    int lengthBytes = peer.acks.lengthBytes();
    // Alone in its datagram: it has no length by which it could be cut out of a GRO buffer.
    writer.endRun(ctx);
    peer.acks.writeTo(writer.begin(ctx, lengthBytes));
    writer.end(ctx, lengthBytes);
    writer.endRun(ctx);
  }

  private Peer peer(ChannelHandlerContext ctx, InetSocketAddress address) {
    Peer peer = last;
    if (peer == null || !peer.address.equals(address)) {
      peer =
          peers.computeIfAbsent(
              address, a -> new Peer(a, ledger.open(ctx.channel().eventLoop()), mtuBytes));
      last = peer;
    }
    if (!peer.touched) {
      peer.touched = true;
      if (touchedCount == touched.length) {
        touched = Arrays.copyOf(touched, touchedCount * 2);
      }
      touched[touchedCount++] = peer;
    }
    return peer;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    long nowNs = System.nanoTime();
    for (int i = 0; i < touchedCount; i++) {
      Peer peer = touched[i];
      peer.touched = false;
      peer.counter.verifier.onBatchEnd(nowNs);
      if (!peer.acks.isEmpty()) {
        acknowledge(ctx, peer);
      }
    }
    touchedCount = 0;
    writer.flush(ctx);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    writer.release();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // A client that has gone answers with port unreachable. This socket ignores it.
  }
}
