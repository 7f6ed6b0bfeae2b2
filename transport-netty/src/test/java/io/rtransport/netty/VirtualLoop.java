package io.rtransport.netty;

import static io.rtransport.netty.ChannelInternals.inside;

import io.netty.channel.EventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.concurrent.Ticker;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.Endpoint;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.netty.internal.loop.LinkApplication;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.simulator.Application;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * One event loop on virtual time, driven by the thread of the test, and what a simulated host needs
 * of the driver behind it. It runs its tasks when told to; those that are scheduled only when told
 * that their time is now.
 */
public final class VirtualLoop implements AutoCloseable {
  private final VirtualTicker ticker;
  private final ManualIoEventLoop loop;
  private final LoopDriver driver;
  private final LinkApplication application;
  private final ArrayDeque<Runnable> wakes = new ArrayDeque<>();

  /** What a host hears of its connection, beside its transactions. */
  public interface Life {
    void onEstablished();

    void onPeerFinished();

    void onClosed(CloseReason reason);
  }

  public VirtualLoop(
      LongSupplier clockNs,
      int loopIndex,
      LoopResources resources,
      NodeBudgets budgets,
      RandomGenerator secrets,
      Application transactions,
      Life life) {
    ticker = new VirtualTicker(clockNs);
    loop =
        new ManualIoEventLoop(null, Thread.currentThread(), (IoHandlerFactory) NoIo::new, ticker);
    application =
        new LinkApplication() {
          @Override
          public PushSupplier pushSupplier() {
            return transactions.pushSupplier();
          }

          @Override
          public void onEntry(Connection connection, OutboxEntry entry) {
            switch (entry.kind()) {
              case ESTABLISHED -> life.onEstablished();
              case PEER_FINISHED -> life.onPeerFinished();
              case CLOSED ->
                  life.onClosed(new CloseReason(entry.code(), entry.text(), entry.isByPeer()));
              case MOVED, PORT_CHANGED, PEER_CHANGED, FORGOTTEN -> {
                // nothing of the application's
              }
              default -> transactions.onEntry(entry);
            }
          }
        };
    driver = LoopDrivers.install(loop, loopIndex, resources, budgets, secrets, wakes::add);
  }

  /** Takes the entries of connections whose channels are told by {@code LinkApplications}. */
  public LinkApplication application() {
    return application;
  }

  public EventLoop loop() {
    return loop;
  }

  public Endpoint endpoint() {
    return driver.endpoint();
  }

  /** The connection under {@code channel}. */
  public static Connection connectionOf(RtChannel channel) {
    return inside(channel).link().connection();
  }

  /** Has the connection under {@code channel} say and send what there is. */
  public static void drive(RtChannel channel) {
    inside(channel).link().drive();
  }

  /**
   * Runs {@code action} as a turn of the driver, then the tasks that it left, but nothing that is
   * scheduled.
   */
  public void turn(Runnable action) {
    driver.inTurn(action);
    runTasks();
  }

  /** Runs the tasks that there are, but nothing that is scheduled. */
  public void runTasks() {
    ticker.isFrozen = true;
    loop.runNow();
    ticker.isFrozen = false;
  }

  /** Runs the tasks that there are, and what is scheduled for now or before. */
  public void runAll() {
    loop.runNow();
    runTasks();
  }

  public boolean isWoken() {
    return !wakes.isEmpty();
  }

  /** Runs what the node's budget has let go on. */
  public void runWakes() {
    for (int left = wakes.size(); left > 0; left--) {
      wakes.poll().run();
    }
  }

  /** Receive buffers that somebody holds. */
  public int heldBuffers() {
    return driver.receiveBuffers().keptCount() - driver.receiveBuffers().freeCount();
  }

  @Override
  public void close() {
    LoopDrivers.uninstall(
        driver); // a loop without time cannot be quiet for a while, so it is not shut down
  }

  /** The harness's clock; while frozen, a time before everything. */
  private static final class VirtualTicker implements Ticker {
    private final LongSupplier clockNs;
    private boolean isFrozen;

    VirtualTicker(LongSupplier clockNs) {
      this.clockNs = clockNs;
    }

    @Override
    public long initialNanoTime() {
      return 0;
    }

    @Override
    public long nanoTime() {
      return isFrozen ? 1 : clockNs.getAsLong();
    }

    @Override
    public void sleep(long delay, TimeUnit unit) {
      throw new UnsupportedOperationException("virtual time passes by itself");
    }
  }

  /** No sockets: ports over memory need none. */
  private static final class NoIo implements IoHandler {
    NoIo(ThreadAwareExecutor executor) {}

    @Override
    public int run(IoHandlerContext context) {
      return 0;
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException("no sockets here");
    }

    @Override
    public void wakeup() {
      // It never sleeps.
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return false;
    }
  }
}
