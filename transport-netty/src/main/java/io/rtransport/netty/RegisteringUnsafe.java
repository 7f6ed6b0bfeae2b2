package io.rtransport.netty;

import io.netty.channel.Channel.Unsafe;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.rtransport.core.wire.PacketBurst;
import java.net.SocketAddress;

/**
 * The bottom of an {@link RtChannel}'s pipeline: AbstractChannel's, but for two verbs that it does not let a subclass decide. An accepted
 * channel registers with the event loop that its connection lives on, whichever a child group proposes; and a burst goes to the port.
 */
final class RegisteringUnsafe implements Unsafe {
  private final RtChannel channel;
  private final Unsafe delegate;

  RegisteringUnsafe(RtChannel channel, Unsafe delegate) {
    this.channel = channel;
    this.delegate = delegate;
  }

  @Override
  public void register(EventLoop proposed, ChannelPromise promise) {
    LoopDriver driver = channel.driver();
    delegate.register(driver == null ? proposed : driver.loop(), promise);
  }

  @Override
  public void write(Object message, ChannelPromise promise) {
    if (message instanceof PacketBurst burst) {
      channel.link().send(burst);
    } else {
      delegate.write(message, promise);
    }
  }

  @Override
  @SuppressWarnings("deprecation") // as Unsafe itself declares it
  public RecvByteBufAllocator.Handle recvBufAllocHandle() {
    return delegate.recvBufAllocHandle();
  }

  @Override
  public SocketAddress localAddress() {
    return delegate.localAddress();
  }

  @Override
  public SocketAddress remoteAddress() {
    return delegate.remoteAddress();
  }

  @Override
  public void bind(SocketAddress local, ChannelPromise promise) {
    delegate.bind(local, promise);
  }

  @Override
  public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
    delegate.connect(remote, local, promise);
  }

  @Override
  public void disconnect(ChannelPromise promise) {
    delegate.disconnect(promise);
  }

  @Override
  public void close(ChannelPromise promise) {
    delegate.close(promise);
  }

  @Override
  public void closeForcibly() {
    delegate.closeForcibly();
  }

  @Override
  public void deregister(ChannelPromise promise) {
    delegate.deregister(promise);
  }

  @Override
  public void beginRead() {
    delegate.beginRead();
  }

  @Override
  public void flush() {
    delegate.flush();
  }

  @Override
  public ChannelPromise voidPromise() {
    return delegate.voidPromise();
  }

  @Override
  public ChannelOutboundBuffer outboundBuffer() {
    return delegate.outboundBuffer();
  }
}
