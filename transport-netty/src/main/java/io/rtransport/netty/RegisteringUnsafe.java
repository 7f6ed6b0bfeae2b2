package io.rtransport.netty;

import io.netty.channel.Channel.Unsafe;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.rtransport.core.wire.PacketBurst;
import io.rtransport.netty.internal.io.DelegatingUnsafe;
import io.rtransport.netty.internal.loop.LoopDriver;

/**
 * The bottom of an {@link RtChannel}'s pipeline: AbstractChannel's, but for three verbs. An
 * accepted channel registers with the event loop that its connection lives on, whichever a child
 * group proposes; and a burst goes to the port.
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
      watched = promise.unvoid(); // itself, but for a void one
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
   * On its own loop, for a server's handlers may be on another. Without events; one that is not
   * registered can have none.
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

  /** What was not flushed fails once the close is done, as with Netty's own channels. */
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
