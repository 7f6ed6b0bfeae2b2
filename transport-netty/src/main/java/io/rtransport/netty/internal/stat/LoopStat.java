package io.rtransport.netty.internal.stat;

import io.rtransport.core.connection.ConnectionReport;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.stats.PathReport;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopLink;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * What was read of one event loop, or of several together. It is bounded, however many connections
 * there are: it keeps {@link #CONNECTIONS_MAX} of them, and {@link #RAILS_MAX} rails. The sums have
 * all. Used by one thread at a time.
 */
public final class LoopStat {
  /** Most connections that are kept by themselves. */
  public static final int CONNECTIONS_MAX = 64;

  /** Most rails that are told apart. What is on further ones is in {@link #otherRails}. */
  public static final int RAILS_MAX = 1_024;

  private static final CounterId[] IDS = CounterId.values();

  /**
   * The ends of a rail: names, or addresses where a connection has one path. Names of addresses are
   * made once for each rail, and not for each connection.
   */
  private record Ends(Object local, Object peer, int number) {}

  private final long[] counts = new long[IDS.length];
  private final Map<Ends, RailSums> rails = new HashMap<>();
  private final RailSums otherRails = new RailSums();

  /** The one that is least worth a look is first. */
  private final PriorityQueue<ConnectionStat> kept =
      new PriorityQueue<>(ConnectionStat.WORTH_A_LOOK.reversed());

  private int connections;
  private int established;
  private int pathsOpen;
  private int pathsSuspect;
  private long packetsInFlight;
  private long bytesInFlight;
  private long waitingBytes;
  private long ownTransactions;
  private long peerTransactions;
  private long storeBytes;
  private long storeUsedBytes;
  private long turns;
  private long wakeups;

  /** Reads what belongs to no connection, and to connections that have ended. On the loop. */
  void addLoop(LoopDriver driver) {
    add(driver.counters());
    RetransmissionStore store = driver.store();
    storeBytes += (long) store.unitCount() * RetransmissionStore.UNIT_BYTES;
    storeUsedBytes +=
        (long) (store.unitCount() - store.freeUnits()) * RetransmissionStore.UNIT_BYTES;
    turns += driver.turns();
    wakeups += driver.wakeups();
  }

  private void add(Counters of) {
    for (int i = 0; i < IDS.length; i++) {
      counts[i] += of.ownValue(IDS[i]);
    }
  }

  /** Reads one connection. On its loop. */
  void add(LoopLink link) {
    ConnectionReport report = ConnectionReport.of(link.connection());
    add(link.connection().counters());
    long waiting = link.waitingBytes();
    connections++;
    established += report.isEstablished() ? 1 : 0;
    pathsOpen += report.paths().size();
    pathsSuspect += report.suspectCount();
    packetsInFlight += report.packetsInFlight();
    bytesInFlight += report.bytesInFlight();
    waitingBytes += waiting;
    ownTransactions += report.ownTransactions();
    peerTransactions += report.peerTransactions();
    for (int i = 0; i < report.paths().size(); i++) {
      rail(ends(link, report.paths(), i)).add(report.paths().get(i));
    }
    keep(new ConnectionStat(link.connection().cid(), link.connection().remote(), waiting, report));
  }

  private static Ends ends(LoopLink link, List<PathReport> paths, int index) {
    PathReport path = paths.get(index);
    if (path.localName() == null) {
      InetSocketAddress local = link.localAddress(path.index());
      return new Ends(local == null ? null : local.getAddress(), path.remote(), 1);
    }
    int number = 1;
    for (int i = 0; i < index; i++) {
      PathReport before = paths.get(i);
      boolean isLike =
          path.localName().equals(before.localName()) && path.peerName().equals(before.peerName());
      number += isLike ? 1 : 0;
    }
    return new Ends(path.localName(), path.peerName(), number);
  }

  private RailSums rail(Ends ends) {
    RailSums known = rails.get(ends);
    if (known != null) {
      return known;
    }
    return rails.size() == RAILS_MAX
        ? otherRails
        : rails.computeIfAbsent(ends, absent -> new RailSums());
  }

  private static RailKey named(Ends ends) {
    String local =
        ends.local instanceof InetAddress address
            ? address.isAnyLocalAddress() ? "*" : address.getHostAddress()
            : ends.local == null ? "*" : ends.local.toString();
    String peer =
        ends.peer instanceof InetSocketAddress address
            ? new Nid(address, "").toString()
            : ends.peer.toString();
    return new RailKey(local, peer, ends.number);
  }

  private void keep(ConnectionStat connection) {
    if (kept.size() < CONNECTIONS_MAX) {
      kept.add(connection);
    } else if (ConnectionStat.WORTH_A_LOOK.compare(connection, kept.peek()) < 0) {
      kept.poll();
      kept.add(connection);
    }
  }

  /** Adds what was read of another loop. */
  void add(LoopStat other) {
    for (int i = 0; i < IDS.length; i++) {
      counts[i] += other.counts[i];
    }
    other.rails.forEach((ends, sums) -> rail(ends).add(sums));
    otherRails.add(other.otherRails);
    other.kept.forEach(this::keep);
    connections += other.connections;
    established += other.established;
    pathsOpen += other.pathsOpen;
    pathsSuspect += other.pathsSuspect;
    packetsInFlight += other.packetsInFlight;
    bytesInFlight += other.bytesInFlight;
    waitingBytes += other.waitingBytes;
    ownTransactions += other.ownTransactions;
    peerTransactions += other.peerTransactions;
    storeBytes += other.storeBytes;
    storeUsedBytes += other.storeUsedBytes;
    turns += other.turns;
    wakeups += other.wakeups;
  }

  /** Returns the counters that are not 0. */
  public Map<CounterId, Long> counters() {
    Map<CounterId, Long> counters = new EnumMap<>(CounterId.class);
    for (int i = 0; i < IDS.length; i++) {
      if (counts[i] != 0) {
        counters.put(IDS[i], counts[i]);
      }
    }
    return counters;
  }

  /** Returns the rails that are told apart, by their names. */
  public Map<RailKey, RailSums> rails() {
    Map<RailKey, RailSums> named = new HashMap<>();
    rails.forEach(
        (ends, sums) -> named.computeIfAbsent(named(ends), n -> new RailSums()).add(sums));
    return named;
  }

  /** Returns the number of rails. Beyond {@link #RAILS_MAX} each path counts as one. */
  public int railCount() {
    return rails.size() + otherRails.paths();
  }

  /** Returns the sums of all rails, those beyond {@link #RAILS_MAX} too. */
  public RailSums allRails() {
    RailSums sums = new RailSums();
    sums.add(otherRails);
    rails.values().forEach(sums::add);
    return sums;
  }

  /** Returns the connections that are kept, those first that are most worth a look. */
  public List<ConnectionStat> listed() {
    List<ConnectionStat> listed = new ArrayList<>(kept);
    listed.sort(ConnectionStat.WORTH_A_LOOK);
    return listed;
  }

  public int connections() {
    return connections;
  }

  public int established() {
    return established;
  }

  public int pathsOpen() {
    return pathsOpen;
  }

  public int pathsSuspect() {
    return pathsSuspect;
  }

  public long packetsInFlight() {
    return packetsInFlight;
  }

  public long bytesInFlight() {
    return bytesInFlight;
  }

  public long waitingBytes() {
    return waitingBytes;
  }

  public long ownTransactions() {
    return ownTransactions;
  }

  public long peerTransactions() {
    return peerTransactions;
  }

  public long storeBytes() {
    return storeBytes;
  }

  public long storeUsedBytes() {
    return storeUsedBytes;
  }

  public long turns() {
    return turns;
  }

  public long wakeups() {
    return wakeups;
  }
}
