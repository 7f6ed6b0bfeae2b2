package io.rtransport.netty.internal.loop;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.OurNi;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.netty.flight.RailFlight;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Looks whether the interfaces of this host are up that connections of several networks use, and
 * tells the node's health when one goes down or comes back. The system answers from its own memory,
 * so this takes microseconds; still it is never done on an event loop.
 *
 * <p>It looks only when somebody had trouble or opened a path, for two seconds after that, and as
 * long as an interface is down that a path uses. So an idle process does nothing here. Any thread.
 */
public final class InterfaceWatch {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(InterfaceWatch.class);

  /** Time between two looks, in milliseconds. */
  static final long INTERVAL_MILLIS = 250;

  /** Looks after the last call of {@link #look}: a cable that is pulled shows late. */
  static final int LOOKS = 8;

  private final RailHealth health;
  private final RailFlight flight;
  private final EventExecutor executor;
  private final Predicate<InetAddress> isUp;
  private final AtomicInteger looksLeft = new AtomicInteger();
  private final AtomicBoolean isLooking = new AtomicBoolean();

  /** Addresses of ours that somebody had trouble with, whether or not a path uses them. */
  private final Set<InetAddress> doubted = ConcurrentHashMap.newKeySet();

  /**
   * @param flight is told of changes
   * @param executor where it looks
   * @param isUp whether an interface of this host has an address and works
   */
  public InterfaceWatch(
      RailHealth health, RailFlight flight, EventExecutor executor, Predicate<InetAddress> isUp) {
    this.health = health;
    this.flight = flight;
    this.executor = executor;
    this.isUp = isUp;
  }

  /** Returns whether an interface of this host has {@code address}, and is up with a carrier. */
  public static boolean isUp(InetAddress address) {
    try {
      NetworkInterface device = NetworkInterface.getByInetAddress(address);
      return device == null ? isLoopback(address) : device.isUp();
    } catch (SocketException e) {
      return true; // not known; the paths find out by themselves
    }
  }

  /** Linux has all of 127.0.0.0/8, and names one address of it. */
  private static boolean isLoopback(InetAddress address) {
    if (!address.isLoopbackAddress()) {
      return false;
    }
    try (DatagramSocket bound = new DatagramSocket(0, address)) {
      return bound.isBound();
    } catch (BindException e) {
      return false;
    } catch (SocketException e) {
      return true; // not known, for example without a file descriptor left
    }
  }

  /** Looks soon, and some more times: somebody had trouble that may be ours. */
  public void look() {
    looksLeft.set(LOOKS);
    if (isLooking.compareAndSet(false, true)) {
      executor.execute(this::lookAtAll);
    }
  }

  /** Looks as {@link #look()} does, and once at this address of ours, though no path may use it. */
  public void look(InetAddress alsoAt) {
    doubted.add(alsoAt);
    look();
  }

  private void lookAtAll() {
    boolean isAnyDown = false;
    try {
      isAnyDown = isAnyDown();
    } catch (RuntimeException e) { // it must not be the last look
      LOGGER.warn("interfaces that cannot be looked at", e);
    }
    if (looksLeft.updateAndGet(left -> Math.max(0, left - 1)) > 0 || isAnyDown) {
      executor.schedule(this::lookAtAll, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
      return;
    }
    isLooking.set(false);
    if (looksLeft.get() > 0) { // a call that came meanwhile saw it as looking
      look();
    }
  }

  /** Tells the health what has changed. Returns whether an interface is down that a path uses. */
  private boolean isAnyDown() {
    for (InetAddress address : doubted) {
      doubted.remove(address);
      if (!isUp.test(address) && !health.ours("", address).isFailed()) {
        health.onLocalError(NiError.LOCAL_NI_DOWN, "", address, System.nanoTime());
      }
    }
    boolean isAnyDown = false;
    for (OurNi ni : health.ourNis()) {
      boolean isWell = ni.address() == null || isUp.test(ni.address());
      isAnyDown |= !isWell && ni.isUsed();
      if (isWell == ni.isFailed()) {
        NiError change = isWell ? NiError.LOCAL_NI_UP : NiError.LOCAL_NI_DOWN;
        health.onLocalError(change, ni.network(), ni.address(), System.nanoTime());
      }
    }
    flight.look();
    return isAnyDown;
  }
}
