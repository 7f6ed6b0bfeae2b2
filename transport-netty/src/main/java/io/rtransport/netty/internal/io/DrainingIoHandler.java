package io.rtransport.netty.internal.io;

import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * I/O handler of an io_uring event loop. When the loop ends, it leaves no read of its wake-up
 * descriptor to the threads of the kernel.
 *
 * <p>Netty's handler (4.2.18) always has such a read in the kernel, into eight bytes of native
 * memory. When the loop ends, Netty asks the kernel to cancel the read, and frees the bytes without
 * waiting for the answer. But Netty also sends a request with IOSQE_IO_DRAIN in each of the loop's
 * last turns, and threads of the kernel execute the requests behind such a request. On a busy
 * machine one of these threads still writes its count, mostly 1, into the freed bytes, where other
 * memory may have been allocated by then (docs/guide/sockets-and-threads.md). Netty waits for the
 * read first only if a wake-up is on its way. So this handler makes one: the loop wakes itself, and
 * pretends to its handler to be another thread.
 *
 * <p>If the loop had no turn in which to close its channels, no drain was sent, and Netty's cancel
 * works at once. If the loop were woken then, Netty would send no cancel. Its last wait is for a
 * drained request whose timeout begins only with that request, so the wait would be for the
 * channels' reads. Confined to its loop, except {@link #wakeup}.
 */
public final class DrainingIoHandler extends DelegatingIoHandler {
  private final Stranger loop;
  private boolean hasDrained;

  public DrainingIoHandler(IoHandlerFactory handlers, ThreadAwareExecutor loop) {
    this(handlers, new Stranger(loop));
  }

  private DrainingIoHandler(IoHandlerFactory handlers, Stranger loop) {
    super(handlers.newHandler(loop));
    this.loop = loop;
  }

  public static IoHandlerFactory factory(IoHandlerFactory handlers) {
    return factory(handlers, executor -> new DrainingIoHandler(handlers, executor));
  }

  /** Executor of a loop. It can deny for a time that the loop's thread is its own. */
  private static final class Stranger implements ThreadAwareExecutor {
    private final ThreadAwareExecutor loop;
    private boolean isStrange; // only the loop's thread reads it

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
  public void prepareToDestroy() {
    hasDrained = true;
    handler.prepareToDestroy();
  }

  @Override
  public void destroy() {
    if (hasDrained) {
      loop.isStrange = true; // a loop's own wake-ups do not count
      try {
        handler.wakeup();
      } finally {
        loop.isStrange = false;
      }
    }
    handler.destroy(); // not after a failed wake-up: Netty would wait for it
  }
}
