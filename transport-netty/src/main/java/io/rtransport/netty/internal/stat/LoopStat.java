package io.rtransport.netty.internal.stat;

import io.rtransport.core.connection.ConnectionReport;
import io.rtransport.core.connection.PathReport;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.window.RetransmissionStore;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopLink;
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

  private final Map<CounterId, Long> counters = new EnumMap<>(CounterId.class);
  private final Map<RailKey, RailSums> rails = new HashMap<>();
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

  private void add(Counters counts) {
    for (CounterId id : IDS) {
      long value = counts.ownValue(id);
      if (value != 0) {
        counters.merge(id, value, Long::sum);
      }
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
      rail(key(link, report.paths(), i)).add(report.paths().get(i));
    }
    keep(new ConnectionStat(link.connection().cid(), link.connection().remote(), waiting, report));
  }

  private static RailKey key(LoopLink link, List<PathReport> paths, int index) {
    PathReport path = paths.get(index);
    String local = path.localName();
    String peer = path.peerName();
    if (local == null) {
      local = host(link.localAddress(path.index()));
      peer = new Nid(path.remote(), "").toString();
    }
    int number = 1;
    for (PathReport before : paths.subList(0, index)) {
      number += local.equals(before.localName()) && peer.equals(before.peerName()) ? 1 : 0;
    }
    return new RailKey(local, peer, number);
  }

  private static String host(InetSocketAddress address) {
    boolean isKnown =
        address != null && !address.isUnresolved() && !address.getAddress().isAnyLocalAddress();
    return isKnown ? address.getAddress().getHostAddress() : "*";
  }

  private RailSums rail(RailKey key) {
    RailSums known = rails.get(key);
    if (known != null) {
      return known;
    }
    return rails.size() == RAILS_MAX
        ? otherRails
        : rails.computeIfAbsent(key, absent -> new RailSums());
  }

  private void keep(ConnectionStat connection) {
    kept.add(connection);
    if (kept.size() > CONNECTIONS_MAX) {
      kept.poll();
    }
  }

  /** Adds what was read of another loop. */
  void add(LoopStat other) {
    other.counters.forEach((id, count) -> counters.merge(id, count, Long::sum));
    other.rails.forEach((key, sums) -> rail(key).add(sums));
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
    return counters;
  }

  public Map<RailKey, RailSums> rails() {
    return rails;
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
