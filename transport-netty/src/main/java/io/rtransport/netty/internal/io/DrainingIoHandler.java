package io.rtransport.netty.internal.io;

import io.netty.channel.IoHandlerFactory;
import io.netty.util.concurrent.ThreadAwareExecutor;

/**
 * The I/O of an io_uring event loop, which ends with no read of its wake-up descriptor left to the
 * threads of the kernel.
 *
 * <p>Netty's (4.2.18) has such a read in the kernel all the time, into eight bytes of native
 * memory. As the loop ends Netty asks the kernel to cancel it, and frees the bytes without waiting
 * for the answer. But it also sends a request with IOSQE_IO_DRAIN in each of the loop's last turns,
 * and what comes behind such a one is carried out by threads of the kernel's: on a busy machine one
 * of them still writes its count, mostly 1, to where other memory may have been allocated by then
 * (docs/guide/sockets-and-threads.md). Only where a wake-up is on its way does Netty wait for the
 * read first. So there is one on its way here: the loop wakes itself, as a stranger to its handler.
 *
 * <p>Where no drain was sent, the loop having had no turn in which to close its channels, Netty's
 * cancelling works at once. Woken, Netty would send none, and its last wait, for a drained request
 * whose timeout begins only with it, would be for what the channels read. Confined to its loop but
 * for {@link #wakeup}.
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
}
