package io.rtransport.netty.internal.io;

import io.netty.channel.Channel.Unsafe;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import java.net.SocketAddress;

/**
 * Passes AbstractChannel's verbs on. A subclass can change verbs that AbstractChannel does not let
 * its subclasses change.
 */
public abstract class DelegatingUnsafe implements Unsafe {
  private final Unsafe delegate;

  public DelegatingUnsafe(Unsafe delegate) {
    this.delegate = delegate;
  }

  @Override
  public void register(EventLoop loop, ChannelPromise promise) {
    delegate.register(loop, promise);
  }

  @Override
  public void write(Object message, ChannelPromise promise) {
    delegate.write(message, promise);
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
