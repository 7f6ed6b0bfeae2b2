package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseNotifier;
import io.rtransport.netty.internal.write.Writability;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.RejectedExecutionException;

/**
 * Input and output of an {@link RtChannel} as {@link DuplexChannel} has them: each can be shut down
 * alone. Both verbs may be called on any thread.
 */
abstract class HalfClosableChannel extends LinkedChannel implements PipelineEnd {
  private volatile boolean isInputShutdown;
  private volatile boolean isOutputShutdown;
  private boolean isOutputOver;

  HalfClosableChannel(Channel parent) {
    super(parent);
  }

  @Override
  public boolean isWritable() {
    return writability().isWritable();
  }

  @Override
  public long bytesBeforeUnwritable() {
    return writability().bytesBeforeUnwritable();
  }

  @Override
  public long bytesBeforeWritable() {
    return writability().bytesBeforeWritable();
  }

  @Override
  public boolean isInputShutdown() {
    return isInputShutdown || !isActive();
  }

  @Override
  public boolean isOutputShutdown() {
    return isOutputShutdown || !isActive();
  }

  @Override
  public boolean isShutdown() {
    return isInputShutdown && isOutputShutdown || !isActive();
  }

  @Override
  public ChannelFuture shutdownOutput() {
    return shutdownOutput(newPromise());
  }

  @Override
  public ChannelFuture shutdownOutput(ChannelPromise promise) {
    AbstractUnsafe unsafe = (AbstractUnsafe) super.unsafe(); // does what Netty does for TCP
    onLoop(() -> unsafe.shutdownOutput(promise));
    return promise;
  }

  /**
   * Shuts the input down. Everything that the peer has begun and that was not read fails at the
   * peer and was not executed. The same holds for all that the peer begins later.
   */
  @Override
  public ChannelFuture shutdownInput() {
    return shutdownInput(newPromise());
  }

  /** Does the same as {@link #shutdownInput()}. */
  @Override
  public ChannelFuture shutdownInput(ChannelPromise promise) {
    onLoop(() -> shutdownInputNow(promise));
    return promise;
  }

  private void shutdownInputNow(ChannelPromise promise) {
    if (isActive()) {
      isInputShutdown = true;
      reading().shutdown();
      promise.trySuccess();
    } else {
      promise.tryFailure(isOpen() ? new NotYetConnectedException() : new ClosedChannelException());
    }
  }

  @Override
  public ChannelFuture shutdown() {
    return shutdown(newPromise());
  }

  @Override
  public ChannelFuture shutdown(ChannelPromise promise) {
    shutdownOutput()
        .addListener(
            (Future<Void> output) -> {
              if (output.isSuccess()) {
                shutdownInput().addListener(new PromiseNotifier<>(promise));
              } else {
                shutdownInput();
                promise.tryFailure(output.cause());
              }
            });
    return promise;
  }

  @Override
  final void inputShutdown() {
    isInputShutdown = true;
  }

  @Override
  protected void doShutdownOutput() {
    if (!isActive()) {
      throw new NotYetConnectedException();
    }
    isOutputShutdown = true;
    endOutput();
    writability().end();
    writes().failUnflushed(new ChannelOutputShutdownException("Channel output shutdown"));
    link().finish();
  }

  /** Takes no write from now on: the output is shut down, or the channel ends. */
  final void endOutput() {
    isOutputOver = true;
  }

  /** Returns whether writes are taken. */
  final boolean takesWrites() {
    return !isOutputOver;
  }

  abstract WriteQueue writes();

  abstract Writability writability();

  abstract ReadLoop reading();

  @Override
  abstract PipelineLink link();

  @Override
  public final boolean onLoopIfAny(Runnable action) {
    try {
      onLoop(action);
      return true;
    } catch (RejectedExecutionException e) {
      return false; // the connection has ended with its loop
    }
  }
}
