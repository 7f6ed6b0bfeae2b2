package io.rtransport.netty.internal.io;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.Function;

/**
 * The I/O of an event loop as another handler does it. Confined to its loop but for {@link
 * #wakeup}.
 */
public class DelegatingIoHandler implements IoHandler {
  protected final IoHandler handler;

  public DelegatingIoHandler(IoHandler handler) {
    this.handler = handler;
  }

  /**
   * A factory of what {@code maker} makes for each event loop, which changes its thread where that
   * of {@code handlers} lets it.
   */
  public static IoHandlerFactory factory(
      IoHandlerFactory handlers, Function<ThreadAwareExecutor, IoHandler> maker) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return maker.apply(executor);
      }

      @Override
      public boolean isChangingThreadSupported() {
        return handlers.isChangingThreadSupported();
      }
    };
  }

  @Override
  public void initialize() {
    handler.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return handler.run(context);
  }

  @Override
  public void prepareToDestroy() {
    handler.prepareToDestroy();
  }

  @Override
  public void destroy() {
    handler.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return handler.register(handle);
  }

  @Override
  public void wakeup() {
    handler.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return handler.isCompatible(handleType);
  }
}
