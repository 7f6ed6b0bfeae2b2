package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.time.DeadlineWheel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/** Which event loop has which {@link LoopDriver}: one, from its first channel to its end. */
public final class LoopDrivers {
  private static final Map<EventLoop, LoopDriver> DRIVERS = new ConcurrentHashMap<>();
  private static final LoopIndexes LOOP_INDEXES = new LoopIndexes();

  private LoopDrivers() {}

  /**
   * Returns the driver of {@code loop}, made at first use. It lives as long as the loop. On the
   * loop.
   */
  public static LoopDriver of(EventLoop loop) {
    LoopDriver driver = DRIVERS.get(loop);
    if (driver == null) {
      SecureRandom secrets = new SecureRandom();
      LoopResources resources =
          new LoopResources(Nodes.storeBytes(), LoopResources.CAM_ENTRIES_DEFAULT, secrets);
      int loopIndex = LOOP_INDEXES.take();
      driver = install(loop, loopIndex, resources, Nodes.BUDGETS, secrets, loop);
      driver.endpoint().railHealth(Nodes.RAIL_HEALTH);
      driver.endpoint().timerTickNs(LoopAlarm.tickNs(loop) + DeadlineWheel.TICK_NS);
      if (loop.parent() != null) {
        driver.endpoint().identity(Nodes.identityOf(loop.parent(), loop.ticker().nanoTime()));
      }
      loop.terminationFuture().addListener(terminated -> LOOP_INDEXES.giveBack(loopIndex));
    }
    return driver;
  }

  /** Returns the drivers of all event loops of this process that have had a channel. Any thread. */
  public static List<LoopDriver> all() {
    return List.copyOf(DRIVERS.values());
  }

  /**
   * Gives {@code loop} a driver with its own resources, before its first channel. It is for tests
   * that need the same run twice.
   *
   * @param wakes runs the connections that the node's budget lets go on
   */
  public static LoopDriver install(
      EventLoop loop,
      int loopIndex,
      LoopResources resources,
      NodeBudgets budgets,
      RandomGenerator secrets,
      Executor wakes) {
    LoopDriver driver = new LoopDriver(loop, loopIndex, resources, budgets, secrets, wakes);
    DRIVERS.put(loop, driver);
    loop.terminationFuture().addListener(terminated -> uninstall(driver));
    return driver;
  }

  /** Removes a driver: its loop has ended. */
  public static void uninstall(LoopDriver driver) {
    DRIVERS.remove(driver.loop());
    Nodes.forget(driver.loop());
    driver.close();
  }
}
