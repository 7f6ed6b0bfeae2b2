package io.rtransport.simulator;

import io.netty.channel.ChannelOption;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.VirtualLoop;

/**
 * The verbs of an application on a channel: transactions are its connection's, flush and the ends
 * are the channel's own.
 */
final class ChannelPort implements SimPort {
  private final VirtualLoop loop;
  private final RtChannel channel;
  private final SimPort connection;

  ChannelPort(VirtualLoop loop, RtChannel channel, SimApplication application) {
    this.loop = loop;
    this.channel = channel;
    this.connection =
        new DirectPort(
            VirtualLoop.connectionOf(channel), application, nowNs -> VirtualLoop.drive(channel));
  }

  @Override
  public boolean push(PlannedTransaction transaction) {
    return connection.push(transaction);
  }

  @Override
  public int readyPushLengthMax() {
    return connection.readyPushLengthMax();
  }

  @Override
  public void pushesReady() {
    connection.pushesReady();
  }

  @Override
  public boolean pull(PlannedTransaction transaction) {
    return connection.pull(transaction);
  }

  @Override
  public boolean cancel(long rsn) {
    return connection.cancel(rsn);
  }

  @Override
  public void deadline(long rsn, long deadlineNs) {
    connection.deadline(rsn, deadlineNs);
  }

  @Override
  public boolean receipt(long rsn) {
    return connection.receipt(rsn);
  }

  @Override
  public void acknowledge(long rsn) {
    connection.acknowledge(rsn);
  }

  @Override
  public void fail(long rsn, int code, String text) {
    connection.fail(rsn, code, text);
  }

  @Override
  public void takesWhole(int lengthBytesMax) {
    connection.takesWhole(lengthBytesMax);
  }

  @Override
  public void failByTransport(long rsn, CloseCode code) {
    connection.failByTransport(rsn, code);
  }

  @Override
  public boolean respond(long rsn, PlannedTransaction transaction) {
    return connection.respond(rsn, transaction);
  }

  @Override
  public void ready(PlannedTransaction transaction) {
    connection.ready(transaction);
  }

  @Override
  public boolean accept(long rsn, boolean isAnswer, long handle, boolean isKeptWhole) {
    return connection.accept(rsn, isAnswer, handle, isKeptWhole);
  }

  @Override
  public void refuse(long rsn, boolean isAnswer, int code, boolean isByTransport) {
    connection.refuse(rsn, isAnswer, code, isByTransport);
  }

  @Override
  public void failSink(long rsn, boolean isAnswer) {
    connection.failSink(rsn, isAnswer);
  }

  @Override
  public void taken(long rsn, boolean isAnswer, long bytes) {
    connection.taken(rsn, isAnswer, bytes);
  }

  @Override
  public void retryOpen(long rsn, boolean isAnswer) {
    connection.retryOpen(rsn, isAnswer);
  }

  @Override
  public void flush(long nowNs) {
    if (channel.isOpen()) {
      loop.turn(channel::flush);
    } else {
      loop.turn(() -> connection.flush(nowNs)); // the channel is closed, its connection drains
    }
  }

  @Override
  public void finish() {
    connection.finish();
  }

  @Override
  public void close(int code, String text, long nowNs) {
    loop.turn(channel::close);
  }

  @Override
  public void abort(int code, String text, long nowNs) {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    loop.turn(() -> channel.close(code, text));
  }
}
