package io.rtransport.netty.queue;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.PathChanges;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.EventQueue;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Tells the consumer what happens to the rails of one connection: the difference to the look
 * before, as link events. Loop-confined, except where a method says otherwise.
 *
 * <p>The first path of a new connection is no news. Of what others did before the consumer has seen
 * an accepted connection, the difference is told when it has.
 */
final class LinkRails {
  /** Rails that a connection may have. */
  static final int RAILS_MAX = Limits.PATHS_MAX;

  private final Connection connection;
  private final AtomicReferenceArray<InetSocketAddress> remotes =
      new AtomicReferenceArray<>(RAILS_MAX);
  private final PathChanges changes = new PathChanges(1, 1);

  LinkRails(Connection connection) {
    this.connection = connection;
  }

  /** Returns the subjects of link events that connections need, with their rails. */
  static int subjects(int connectionsMax) {
    return connectionsMax * (1 + RAILS_MAX);
  }

  /** Returns the subject of link events of a rail; those below are the connections' own. */
  static int subject(int connectionsMax, int slot, int rail) {
    return connectionsMax + slot * RAILS_MAX + rail;
  }

  /** Returns the peer's last known address of a rail; null if it was never open. Any thread. */
  InetSocketAddress remote(int rail) {
    return remotes.get(rail);
  }

  /** Tells what has changed since the last call. Costs two reads while nothing has. */
  void look(EventQueue events, CompletionQueue queue, int connectionsMax) {
    if (!changes.look(connection.openPaths(), connection.usablePaths())) {
      return;
    }
    for (int rail = 0; rail < RAILS_MAX; rail++) {
      int bit = 1 << rail;
      int subject = subject(connectionsMax, queue.slot(), rail);
      if ((changes.opened() & bit) != 0) {
        remember(rail);
        tell(events, queue, subject, RtQueueRailEvent.OPENED);
      }
      if ((changes.closed() & bit) != 0) {
        tell(events, queue, subject, RtQueueRailEvent.CLOSED);
      }
      if ((changes.working() & bit) != 0) {
        tell(events, queue, subject, RtQueueRailEvent.WORKS);
      }
      if ((changes.suspected() & bit) != 0) {
        tell(events, queue, subject, RtQueueRailEvent.SUSPECTED);
      }
    }
  }

  /** Tells on which rails the peer was found at another address. */
  void onMoved(EventQueue events, CompletionQueue queue, int connectionsMax) {
    for (int rest = connection.openPaths(); rest != 0; rest &= rest - 1) {
      int rail = Integer.numberOfTrailingZeros(rest);
      InetSocketAddress before = remotes.get(rail);
      remember(rail);
      if (before != null && !before.equals(remotes.get(rail)) && queue != null) {
        int subject = subject(connectionsMax, queue.slot(), rail);
        tell(events, queue, subject, RtQueueRailEvent.MOVED);
      }
    }
  }

  /** Notes the address of the first path, when the connection is set up. */
  void onEstablished() {
    remember(0);
  }

  private void remember(int rail) {
    if ((connection.openPaths() & 1 << rail) != 0) {
      remotes.set(rail, connection.remote(rail));
    }
  }

  /** The code says whose event it is: a slot has other connections later. */
  private static void tell(
      EventQueue events, CompletionQueue queue, int subject, RtQueueRailEvent event) {
    events.putLinkEvent(subject, event.ordinal(), queue.generation());
  }
}
