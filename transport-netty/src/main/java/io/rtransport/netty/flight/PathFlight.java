package io.rtransport.netty.flight;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.PathChanges;
import java.net.InetSocketAddress;

/** Events of the paths of one connection. Confined to its event loop. */
final class PathFlight {
  private static final PathEvent PATH = new PathEvent(); // never committed

  private final Connection connection;
  private final PathChanges changes;

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
      changes = new PathChanges(1, 1);
      remotes[0] = connection.remote(0);
    } else {
      changes = new PathChanges(connection.openPaths(), connection.usablePaths());
      note();
    }
  }

  /** Tells what has changed since the last call. */
  void look() {
    if (!changes.look(connection.openPaths(), connection.usablePaths())) {
      return;
    }
    tell(changes.closed(), "closed");
    note();
    tell(changes.opened(), "opened");
    tell(changes.working(), "usable");
    tell(changes.suspected(), "suspect");
  }

  private void note() {
    for (int rest = changes.open(); rest != 0; rest &= rest - 1) {
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
