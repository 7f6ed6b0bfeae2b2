package io.rtransport.netty;

import io.netty.channel.Channel.Unsafe;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.internal.io.DelegatingUnsafe;
import io.rtransport.netty.internal.loop.LoopDriver;

/**
 * The bottom of an {@link RtChannel}'s pipeline: AbstractChannel's, with changed verbs. An accepted
 * channel registers with the event loop of its connection, whatever loop a child group proposes. A
 * burst goes to the port.
 */
final class RegisteringUnsafe extends DelegatingUnsafe {
  private final DefaultRtChannel channel;
  private boolean isInClose;

  RegisteringUnsafe(DefaultRtChannel channel, Unsafe delegate) {
    super(delegate);
    this.channel = channel;
  }

  @Override
  public void register(EventLoop proposed, ChannelPromise promise) {
    LoopDriver driver = channel.driver();
    PipelineLink link = channel.link();
    ChannelPromise watched = promise;
    if (link != null && !link.hasHandlers()) {
      watched = promise.unvoid(); // the same promise, unless it is void
      watched.addListener(
          registered -> {
            if (registered.isSuccess()) {
              channel.onLoopIfAny(link.arrival()::onHandlers);
            }
          });
    }
    super.register(driver == null ? proposed : driver.loop(), watched);
  }

  /**
   * Closes on the channel's own loop, for a server's handlers may be on another. It fires no events
   * if the channel is registered; an unregistered channel can have none.
   */
  @Override
  public void closeForcibly() {
    if (channel.driver() == null) {
      super.closeForcibly();
    } else {
      channel.onLoopIfAny(this::closeOnLoop);
    }
  }

  private void closeOnLoop() {
    if (channel.isRegistered()) {
      super.closeForcibly();
    } else {
      close(voidPromise());
    }
  }

  @Override
  public void write(Object message, ChannelPromise promise) {
    if (message instanceof PacketBurst burst) {
      channel.link().send(burst);
    } else {
      super.write(message, promise);
    }
  }

  /**
   * Closes the channel. Writes that were not flushed fail once the close is done, as in Netty's own
   * channels.
   */
  @Override
  public void close(ChannelPromise promise) {
    boolean isFirst = !isInClose;
    isInClose = true;
    super.close(promise);
    if (isFirst) {
      isInClose = false;
      channel.onCloseDone();
    }
  }

  boolean isInClose() {
    return isInClose;
  }
}
