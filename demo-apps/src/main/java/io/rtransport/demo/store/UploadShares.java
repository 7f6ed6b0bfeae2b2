package io.rtransport.demo.store;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Shares the store's places among the hosts that ask, and a host's places among its connections.
 *
 * <p>As long as a place is free, any host gets it. When none is, a host that has two less than
 * another gets one of that host's. A connection that has two less than another one of its own host
 * gets one of that connection's. The largest host gives, from its largest connection, the youngest
 * upload that is not yet whole.
 *
 * <p>So a host whose files never arrive cannot exclude others, however many connections it opens.
 * Hosts that all ask for more than there is have equal shares. Any thread.
 */
final class UploadShares {
  private final int placesMax;
  private final Map<HostKey, Host> hosts = new HashMap<>();
  private int taken;

  UploadShares(int placesMax) {
    this.placesMax = placesMax;
  }

  private static final class Host {
    final Map<Object, ArrayDeque<Upload>> connections = new IdentityHashMap<>();
    int taken;

    int taken() {
      return taken;
    }

    int takenBy(Object connection) {
      ArrayDeque<Upload> own = connections.get(connection);
      return own == null ? 0 : own.size();
    }
  }

  /** Returns whether {@code connection} of {@code host} would get a place now. */
  synchronized boolean hasPlace(HostKey host, Object connection) {
    return taken < placesMax || !givers(host, connection).isEmpty();
  }

  /**
   * Gives {@code upload} a place, another upload's if necessary. Returns false if there is none.
   */
  boolean add(Upload upload) {
    Upload displaced = null;
    synchronized (this) {
      if (taken == placesMax) {
        displaced = displace(givers(upload.host(), upload.connection()));
        if (displaced == null) {
          return false;
        }
        forget(displaced);
      }
      Host host = hosts.computeIfAbsent(upload.host(), any -> new Host());
      host.connections
          .computeIfAbsent(upload.connection(), any -> new ArrayDeque<>())
          .addLast(upload);
      host.taken++;
      taken++;
    }
    if (displaced != null) {
      displaced.discard();
    }
    return true;
  }

  /** Removes an upload that has ended. Does nothing if it had no place. */
  synchronized void remove(Upload upload) {
    forget(upload);
  }

  private void forget(Upload upload) {
    Host host = hosts.get(upload.host());
    ArrayDeque<Upload> own = host == null ? null : host.connections.get(upload.connection());
    if (own == null || !own.remove(upload)) {
      return;
    }
    taken--;
    host.taken--;
    if (own.isEmpty()) {
      host.connections.remove(upload.connection());
    }
    if (host.taken == 0) {
      hosts.remove(upload.host());
    }
  }

  /**
   * Returns the uploads of each connection that should give way to one more of {@code connection}.
   * One place less for them and one more for it brings the shares closer. The connections that
   * should give first are first.
   */
  private List<ArrayDeque<Upload>> givers(HostKey key, Object connection) {
    Host own = hosts.get(key);
    int ownTaken = own == null ? 0 : own.taken;
    List<ArrayDeque<Upload>> givers = new ArrayList<>();
    hosts.values().stream()
        .filter(host -> host.taken > ownTaken + 1)
        .sorted(Comparator.comparingInt(Host::taken).reversed())
        .forEach(host -> addLargestFirst(givers, host.connections.values(), 0));
    if (own != null) {
      addLargestFirst(givers, own.connections.values(), own.takenBy(connection) + 1);
    }
    return givers;
  }

  /** Adds the connections that have more than {@code least} places. */
  private static void addLargestFirst(
      List<ArrayDeque<Upload>> givers, Collection<ArrayDeque<Upload>> connections, int least) {
    connections.stream()
        .filter(uploads -> uploads.size() > least)
        .sorted(Comparator.<ArrayDeque<Upload>>comparingInt(ArrayDeque::size).reversed())
        .forEach(givers::add);
  }

  private static Upload displace(List<ArrayDeque<Upload>> givers) {
    for (ArrayDeque<Upload> uploads : givers) {
      for (Iterator<Upload> youngestFirst = uploads.descendingIterator();
          youngestFirst.hasNext(); ) {
        Upload upload = youngestFirst.next();
        if (upload.giveWay()) {
          return upload;
        }
      }
    }
    return null;
  }
}
