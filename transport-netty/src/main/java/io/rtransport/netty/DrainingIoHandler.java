package io.rtransport.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.concurrent.CompletableFuture;

/**
 * The I/O of an io_uring event loop, which ends with no read of its wake-up descriptor under way.
 *
 * <p>Netty's (4.2.18) has such a read in the kernel all the time, into eight bytes of native memory. As the loop ends Netty asks the kernel to cancel it,
 * and frees the bytes without waiting for the answer. But it also sends a request with IOSQE_IO_DRAIN in each of the loop's last turns, and what comes behind
 * such a one is carried out by threads of the kernel's: on a busy machine one of them still writes its count, mostly 1, to where other memory may
 * have been allocated by then (docs/embedding.md, "Sockets"). Only where a wake-up is on its way does Netty wait for the read first. So there
 * is one on its way here. Confined to its loop but for {@link #wakeup}.
 */
final class DrainingIoHandler implements IoHandler {
  private static final String WAKER = "rt-io-uring-end";

  private final IoHandler handler;

  DrainingIoHandler(IoHandler handler) {
    this.handler = handler;
  }

  static IoHandlerFactory factory(IoHandlerFactory handlers) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new DrainingIoHandler(handlers.newHandler(executor));
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
    try {
      // From a thread of its own: a loop's own wake-ups are none.
      CompletableFuture.runAsync(handler::wakeup, task -> new Thread(task, WAKER).start()).join();
    } finally {
      handler.destroy();
    }
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
