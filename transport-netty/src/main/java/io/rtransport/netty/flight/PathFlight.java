package io.rtransport.netty.flight;

import io.rtransport.core.connection.Connection;
import java.net.InetSocketAddress;

/** Events of the paths of one connection. Confined to its event loop. */
final class PathFlight {
  private static final PathEvent PATH = new PathEvent(); // never committed

  private final Connection connection;
  private int open;
  private int usable;

  /** Addresses of the paths, by index: a path that was closed has none any more. */
  private final InetSocketAddress[] remotes = new InetSocketAddress[Integer.SIZE];

  /** Returns whether a recording wants these events. */
  static boolean isOn() {
    return PATH.isEnabled();
  }

  /**
   * @param isFromStart whether the recording saw the connection's set-up; if not, what is there now
   *     is no news
   */
  PathFlight(Connection connection, boolean isFromStart) {
    this.connection = connection;
    if (isFromStart) {
      open = 1;
      usable = 1;
      remotes[0] = connection.remote(0);
    } else {
      note();
    }
  }

  /** Tells what has changed since the last call. */
  void look() {
    int openBefore = open;
    int usableBefore = usable;
    if (connection.openPaths() == openBefore && connection.usablePaths() == usableBefore) {
      return;
    }
    tell(openBefore & ~connection.openPaths(), "closed");
    note();
    tell(open & ~openBefore, "opened");
    tell(usable & ~usableBefore, "usable");
    tell(usableBefore & ~usable & open, "suspect");
  }

  private void note() {
    open = connection.openPaths();
    usable = connection.usablePaths();
    for (int rest = open; rest != 0; rest &= rest - 1) {
      int i = Integer.numberOfTrailingZeros(rest);
      remotes[i] = connection.remote(i);
    }
  }

  private void tell(int mask, String change) {
    for (int rest = mask; rest != 0; rest &= rest - 1) {
      PathEvent event = new PathEvent();
      event.connection = connection.cid();
      event.path = Integer.numberOfTrailingZeros(rest);
      event.remote = remotes[event.path].toString();
      event.change = change;
      event.commit();
    }
  }
}
