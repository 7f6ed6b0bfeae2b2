package io.rtransport.loadgen.transceiver;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.loadgen.workload.Session;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/**
 * One connection of the raw UDP client. A long message goes out as the window allows. A datagram
 * that has not come back after two to four seconds is given up, so that a loss costs its message
 * and not the run. There is no timer while nothing is in flight. Confined to its event loop.
 */
final class UdpSession extends ChannelInboundHandlerAdapter implements Session {
  private static final long GIVE_UP_MILLIS = 2_000;

  private final Op op;
  private final int mtuBytes;
  private final MessageContents contents;
  private final WorkCounter counter;
  private final Listener listener;
  private final Promise<Session> connected;
  private final DatagramWriter writer;
  private final DatagramWindow window;
  private ChannelHandlerContext ctx;

  /**
   * The message that is going out, and its progress. There is no message when nothing is left of
   * it.
   */
  private long message;

  private int messageBytes;
  private boolean messageMeasured;
  private int fragment;
  private int fragments;

  private boolean refused;
  private boolean timerArmed;
  private long giveUpEnd;

  UdpSession(
      TransceiverSettings settings,
      int mtuBytes,
      boolean offload,
      WorkCounter counter,
      InetSocketAddress to,
      Listener listener,
      Promise<Session> connected) {
    this.op = settings.op();
    this.mtuBytes = mtuBytes;
    this.contents = new MessageContents(settings.seed(), mtuBytes);
    this.counter = counter;
    this.listener = listener;
    this.connected = connected;
    this.writer = new DatagramWriter(offload, settings.io(), counter, to);
    this.window = new DatagramWindow(settings.windowPackets());
  }

  @Override
  public boolean offer(long sequence, int lengthBytes, boolean measured) {
    int count = Fragments.count(lengthBytes, mtuBytes);
    int needed = op == Op.PULL ? count : 1;
    if (fragment < fragments || window.room() < needed) {
      refused = true;
      return false;
    }
    window.beginMessage(sequence, count);
    if (op == Op.PULL) {
      request(sequence, lengthBytes, measured, count);
      return true;
    }
    message = sequence;
    messageBytes = lengthBytes;
    messageMeasured = measured;
    fragment = 0;
    fragments = count;
    sendFragments();
    return true;
  }

  private void request(long sequence, int lengthBytes, boolean measured, int count) {
    long first = window.nextDatagram();
    for (int i = 0; i < count; i++) {
      window.take(sequence);
    }
    ByteBuf to = writer.begin(ctx, MessageHeader.LENGTH);
    MessageHeader.write(to, first, lengthBytes, measured, 0);
    writer.end(ctx, MessageHeader.LENGTH);
    armTimer();
  }

  private void sendFragments() {
    while (fragment < fragments && window.room() > 0) {
      int lengthBytes = Fragments.lengthBytes(fragment++, messageBytes, mtuBytes);
      contents.writeMessage(
          writer.begin(ctx, lengthBytes), window.take(message), lengthBytes, messageMeasured);
      writer.end(ctx, lengthBytes);
    }
    armTimer();
  }

  @Override
  public void flush() {
    writer.flush(ctx);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    this.ctx = ctx;
    connected.trySuccess(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object packet) {
    ByteBuf in = ((DatagramPacket) packet).content();
    try {
      int index = in.readerIndex();
      while (in.writerIndex() - index >= MessageHeader.LENGTH) {
        index += onDatagram(in, index, in.writerIndex() - index);
      }
    } finally {
      in.release();
    }
  }

  private int onDatagram(ByteBuf in, int index, int leftBytes) {
    counter.datagramsReceived++;
    if (DatagramAcks.isAck(in, index, leftBytes)) {
      DatagramAcks.read(
          in,
          index,
          leftBytes,
          (first, count) -> window.onArrived(first, count, listener::onCompleted));
      return leftBytes;
    }
    int length = UdpServerHandler.datagramBytes(in, index, leftBytes, mtuBytes);
    if (counter.verifier.onMessage(in, index, length)) {
      window.onArrived(counter.verifier.sequence(), 1, listener::onCompleted);
    }
    return length;
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    counter.verifier.onBatchEnd(System.nanoTime());
    resume();
  }

  private void resume() {
    if (fragment < fragments) {
      sendFragments();
      writer.flush(ctx);
    }
    if (refused && fragment == fragments && window.room() > 0) {
      refused = false;
      listener.onRoom();
    } else {
      listener.onBatchEnd();
    }
  }

  private void armTimer() {
    if (!timerArmed) {
      timerArmed = true;
      giveUpEnd = window.nextDatagram();
      ctx.executor().schedule(this::giveUp, GIVE_UP_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void giveUp() {
    timerArmed = false;
    window.giveUpBelow(giveUpEnd, listener::onFailed);
    if (!window.isEmpty() || fragment < fragments) {
      armTimer();
    }
    resume();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    writer.release();
    listener.onClosed("the socket was closed");
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    listener.onClosed(String.valueOf(cause.getMessage()));
    ctx.close();
  }
}
