package io.rtransport.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * The I/O of an io_uring event loop, which ends with no read of its wake-up descriptor left to the threads of the kernel.
 *
 * <p>Netty's (4.2.18) has such a read in the kernel all the time, into eight bytes of native memory. As the loop ends Netty asks the kernel to cancel it,
 * and frees the bytes without waiting for the answer. But it also sends a request with IOSQE_IO_DRAIN in each of the loop's last turns, and what comes behind
 * such a one is carried out by threads of the kernel's: on a busy machine one of them still writes its count, mostly 1, to where other memory may
 * have been allocated by then (docs/embedding.md, "Sockets"). Only where a wake-up is on its way does Netty wait for the read first. So there
 * is one on its way here: the loop wakes itself, as a stranger to its handler.
 *
 * <p>Where no drain was sent, the loop having had no turn in which to close its channels, Netty's cancelling works at once. Woken, Netty would send none, and
 * its last wait, for a drained request whose timeout begins only with it, would be for what the channels read. Confined to its loop but for {@link #wakeup}.
 */
final class DrainingIoHandler implements IoHandler {
  private final IoHandler handler;
  private final Stranger loop;
  private boolean hasDrained;

  DrainingIoHandler(IoHandlerFactory handlers, ThreadAwareExecutor loop) {
    this.loop = new Stranger(loop);
    this.handler = handlers.newHandler(this.loop);
  }

  static IoHandlerFactory factory(IoHandlerFactory handlers) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new DrainingIoHandler(handlers, executor);
      }

      @Override
      public boolean isChangingThreadSupported() {
        return handlers.isChangingThreadSupported();
      }
    };
  }

  /** A loop whose own thread is, at times, none of its own. */
  private static final class Stranger implements ThreadAwareExecutor {
    private final ThreadAwareExecutor loop;
    private boolean isStrange; // only the loop's thread gets to see it

    Stranger(ThreadAwareExecutor loop) {
      this.loop = loop;
    }

    @Override
    public boolean isExecutorThread(Thread thread) {
      return loop.isExecutorThread(thread) && !isStrange;
    }

    @Override
    public void execute(Runnable task) {
      loop.execute(task);
    }
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
    hasDrained = true;
    handler.prepareToDestroy();
  }

  @Override
  public void destroy() {
    if (hasDrained) {
      loop.isStrange = true; // a loop's own wake-ups are none
      try {
        handler.wakeup();
      } finally {
        loop.isStrange = false;
      }
    }
    handler.destroy(); // not where the wake-up failed: Netty would wait for it
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
