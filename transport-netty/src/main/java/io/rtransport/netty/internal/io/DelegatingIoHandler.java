package io.rtransport.netty.internal.io;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.Function;

/**
 * I/O handler that passes every call to another one. Confined to its loop, except {@link #wakeup}.
 */
public class DelegatingIoHandler implements IoHandler {
  protected final IoHandler handler;

  public DelegatingIoHandler(IoHandler handler) {
    this.handler = handler;
  }

  /**
   * Returns a factory of the handlers that {@code maker} makes for each event loop. It supports a
   * change of thread if {@code handlers} does.
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
