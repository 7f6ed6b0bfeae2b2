package io.rtransport.netty.internal.stat;

import io.rtransport.core.connection.ConnectionReport;
import io.rtransport.core.rail.Cause;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.MessageTimes;
import io.rtransport.core.stats.PeerStats;
import io.rtransport.core.text.HostPort;
import io.rtransport.netty.internal.file.FileBlocks;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The state of a node as a JSON value, of bounded size. Its keys are in
 * docs/reference/command-line, "rt stat". Stateless.
 */
public final class NodeDocument {
  /**
   * Most rails that are listed: those that carried most of the first {@link LoopStat#RAILS_MAX}
   * that were read.
   */
  public static final int RAILS_LISTED_MAX = 64;

  /** Most interfaces of either side that are listed: those that are not well, then the others. */
  public static final int INTERFACES_LISTED_MAX = 64;

  /** Most nodes of the process that are listed. */
  public static final int NODES_LISTED_MAX = 16;

  /** Most peers of a node that are listed: those with most open messages, then with most. */
  public static final int PEERS_LISTED_MAX = 64;

  /** Most learnt addresses of a peer that are listed. */
  public static final int LEARNT_LISTED_MAX = 16;

  /** Most routers of the process that are listed. */
  public static final int ROUTERS_LISTED_MAX = 16;

  /** Most next hops of a router that are listed: those that are not up, then the others. */
  public static final int HOPS_LISTED_MAX = 64;

  private NodeDocument() {}

  /** Returns the knobs with their values. */
  public static Map<String, Object> knobs(RailHealthConfig config) {
    Map<String, Object> knobs = new LinkedHashMap<>();
    for (HealthParameter parameter : HealthParameter.values()) {
      knobs.put(parameter.text(), config.get(parameter));
    }
    return knobs;
  }

  /**
   * Returns the document.
   *
   * @param nowNs on the clock of the event loops
   */
  public static Map<String, Object> of(
      NodeStat node, RailHealth health, NodeBudgets budgets, long nowNs) {
    LoopStat all = node.all();
    List<NiReport> interfaces = health.reports(INTERFACES_LISTED_MAX);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("pid", ProcessHandle.current().pid());
    document.put("loops", node.loopCount());
    document.put("loopsAnswered", node.answeredCount());
    document.put("interfaceCount", health.localCount() + health.peerCount());
    document.put("interfaces", interfaces.stream().map(ni -> of(ni, nowNs)).toList());
    Map<RailKey, RailSums> rails = all.rails();
    document.put("railCount", all.railCount());
    document.put("rails", rails(rails, all.allRails().bytes()));
    document.put("connectionCount", all.connections());
    document.put("total", total(all));
    document.put("connections", all.listed().stream().map(NodeDocument::of).toList());
    List<NodeReport> nodes = OpenParts.NODES.reports();
    document.put("nodeCount", nodes.size());
    document.put("nodes", nodes.stream().limit(NODES_LISTED_MAX).map(NodeDocument::of).toList());
    List<RouterReport> routers = OpenParts.ROUTERS.reports();
    document.put("routerCount", routers.size());
    document.put(
        "routers", routers.stream().limit(ROUTERS_LISTED_MAX).map(NodeDocument::of).toList());
    document.put("memory", memory(all, budgets));
    document.put("turns", all.turns());
    document.put("wakeups", all.wakeups());
    Map<String, Object> counters = new LinkedHashMap<>();
    all.counters().forEach((id, count) -> counters.put(id.name(), count));
    document.put("counters", counters);
    document.put("knobs", knobs(health.config()));
    return document;
  }

  private static Map<String, Object> of(NiReport ni, long nowNs) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("nid", ni.name());
    map.put("side", ni.isLocal() ? "local" : "peer");
    map.put("health", ni.health());
    map.put("band", ni.band().name());
    map.put("state", state(ni));
    map.put("paths", ni.pathCount());
    map.put("charges", byCause(ni.charges()));
    map.put("timeouts", byCause(ni.timeouts()));
    Map<String, Object> errors = new LinkedHashMap<>();
    ni.errors().forEach((error, count) -> errors.put(error.name(), count));
    map.put("errors", errors);
    map.put("pingsSent", ni.pingsSent());
    map.put("pingsFailed", ni.pingsFailed());
    boolean isAsked = ni.pingDueNs() != Long.MAX_VALUE;
    map.put("nextPingMillis", isAsked ? millis(Math.max(0, ni.pingDueNs() - nowNs)) : null);
    List<Object> history = new ArrayList<>();
    for (NiReport.Change change : ni.history()) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("agoMillis", millis(Math.max(0, nowNs - change.atNs())));
      entry.put("health", change.health());
      history.add(entry);
    }
    map.put("history", history);
    return map;
  }

  private static Map<String, Object> byCause(Map<Cause, Long> counts) {
    Map<String, Object> map = new LinkedHashMap<>();
    counts.forEach((cause, count) -> map.put(cause.name(), count));
    return map;
  }

  private static String state(NiReport ni) {
    if (ni.isFailed()) {
      return "failed";
    }
    return ni.health() == RailHealthConfig.HEALTH_MAX ? "up" : "recovering";
  }

  private static long millis(long ns) {
    return TimeUnit.NANOSECONDS.toMillis(ns);
  }

  private static List<Object> rails(Map<RailKey, RailSums> all, long bytes) {
    List<Object> rails = new ArrayList<>();
    List<Map.Entry<RailKey, RailSums>> listed = new ArrayList<>(all.entrySet());
    listed.sort(
        (a, b) -> {
          int byBytes = Long.compare(b.getValue().bytes(), a.getValue().bytes());
          return byBytes != 0 ? byBytes : a.getKey().toString().compareTo(b.getKey().toString());
        });
    for (var rail : listed.subList(0, Math.min(RAILS_LISTED_MAX, listed.size()))) {
      Map<String, Object> map = of(rail.getKey(), rail.getValue());
      map.put("share", bytes == 0 ? null : (double) rail.getValue().bytes() / bytes);
      int health = rail.getValue().health();
      map.put("health", health < 0 ? null : health);
      rails.add(map);
    }
    return rails;
  }

  private static Map<String, Object> of(RailKey key, RailSums sums) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("local", key.local());
    map.put("peer", key.peer());
    map.put("number", key.number());
    map.put("paths", sums.paths());
    map.put("pathsSuspect", sums.suspect());
    map.put("rttMicros", micros(sums.rttNs()));
    map.put("packetsInFlight", sums.packetsInFlight());
    map.put("datagramsSent", sums.datagramsSent());
    map.put("bytesSent", sums.bytesSent());
    map.put("datagramsReceived", sums.datagramsReceived());
    map.put("bytesReceived", sums.bytesReceived());
    map.put("resentOn", sums.resentOn());
    map.put("resentFrom", sums.resentFrom());
    map.put("movedFrom", sums.movedFrom());
    return map;
  }

  private static Object micros(long ns) {
    return ns == 0 ? null : ns / 1e3;
  }

  private static Map<String, Object> total(LoopStat all) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("established", all.established());
    map.put("pathsOpen", all.pathsOpen());
    map.put("pathsSuspect", all.pathsSuspect());
    RailSums rails = all.allRails();
    map.put("datagramsSent", rails.datagramsSent());
    map.put("bytesSent", rails.bytesSent());
    map.put("datagramsReceived", rails.datagramsReceived());
    map.put("bytesReceived", rails.bytesReceived());
    map.put("packetsInFlight", all.packetsInFlight());
    map.put("bytesInFlight", all.bytesInFlight());
    map.put("waitingBytes", all.waitingBytes());
    map.put("ownTransactions", all.ownTransactions());
    map.put("peerTransactions", all.peerTransactions());
    return map;
  }

  private static Map<String, Object> of(ConnectionStat connection) {
    ConnectionReport report = connection.report();
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cid", connection.cid() & 0xFFFF_FFFFL);
    map.put("peer", text(connection.peer()));
    map.put("established", report.isEstablished());
    map.put("pathsOpen", report.paths().size());
    map.put("pathsSuspect", report.suspectCount());
    map.put("rttMicros", micros(report.rttNs()));
    map.put("packetsInFlight", report.packetsInFlight());
    map.put("bytesInFlight", report.bytesInFlight());
    map.put("waitingBytes", connection.waitingBytes());
    map.put("ownTransactions", report.ownTransactions());
    map.put("peerTransactions", report.peerTransactions());
    return map;
  }

  private static Map<String, Object> of(NodeReport node) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", node.name());
    map.put("peerCount", node.peers().size());
    Comparator<Map.Entry<String, PeerStats>> order =
        Comparator.comparing(peer -> -peer.getValue().open());
    order = order.thenComparing(peer -> -peer.getValue().messages());
    order = order.thenComparing(Map.Entry::getKey);
    List<Object> peers = new ArrayList<>();
    node.peers().entrySet().stream()
        .sorted(order)
        .limit(PEERS_LISTED_MAX)
        .forEach(
            peer -> {
              Map<String, Object> each = of(peer.getKey(), peer.getValue());
              each.put("learnt", texts(node.learnt().getOrDefault(peer.getKey(), List.of())));
              peers.add(each);
            });
    map.put("peers", peers);
    return map;
  }

  private static List<String> texts(List<InetSocketAddress> addresses) {
    return addresses.stream().limit(LEARNT_LISTED_MAX).map(NodeDocument::text).toList();
  }

  private static Map<String, Object> of(String name, PeerStats peer) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", name);
    map.put("messages", peer.messages());
    map.put("open", peer.open());
    map.put("completed", peer.completed());
    map.put("failed", peer.failed());
    map.put("unknown", peer.unknown());
    map.put("notExecuted", peer.notExecuted());
    map.put("attempts", peer.attempts());
    map.put("againAfterLoss", peer.againAfterLoss());
    map.put("againAfterSilence", peer.againAfterSilence());
    map.put("againAfterNoWay", peer.againAfterNoWay());
    putTimes(map, "attempt", peer.attemptTimes());
    putTimes(map, "completed", peer.completedTimes());
    return map;
  }

  private static void putTimes(Map<String, Object> map, String of, MessageTimes times) {
    map.put(of + "Micros", TimeUnit.NANOSECONDS.toMicros(times.meanNs()));
    map.put(of + "P50Micros", TimeUnit.NANOSECONDS.toMicros(times.p50Ns()));
    map.put(of + "P99Micros", TimeUnit.NANOSECONDS.toMicros(times.p99Ns()));
    map.put(of + "MaxMicros", TimeUnit.NANOSECONDS.toMicros(times.maxNs()));
  }

  private static Map<String, Object> of(RouterReport router) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("name", router.name());
    map.put("forwarded", router.forwarded());
    map.put("withoutRoute", router.withoutRoute());
    map.put("strangers", router.strangers());
    map.put("lost", router.lost());
    map.put("unknown", router.unknown());
    map.put("heldBytes", router.heldBytes());
    map.put("heldBytesMax", router.heldBytesMax());
    map.put("hopCount", router.hops().size());
    map.put("hopsUp", router.hopsUp());
    Comparator<RouterReport.Hop> order = Comparator.comparing(RouterReport.Hop::isUp);
    order = order.thenComparing(RouterReport.Hop::destination);
    List<Object> hops = new ArrayList<>();
    router.hops().stream().sorted(order).limit(HOPS_LISTED_MAX).forEach(hop -> hops.add(of(hop)));
    map.put("hops", hops);
    return map;
  }

  private static Map<String, Object> of(RouterReport.Hop hop) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("destination", hop.destination());
    map.put("up", hop.isUp());
    map.put("large", hop.large());
    map.put("waiting", hop.waiting());
    return map;
  }

  private static String text(InetSocketAddress address) {
    String host =
        address.isUnresolved() ? address.getHostString() : address.getAddress().getHostAddress();
    return new HostPort(host, address.getPort()).toString();
  }

  private static Map<String, Object> memory(LoopStat all, NodeBudgets budgets) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("solicitationUsedBytes", budgets.solicitation().countedBytes());
    map.put("solicitationBudgetBytes", budgets.solicitation().capacityBytes());
    map.put("creditUsedBytes", budgets.credit().usedBytes());
    map.put("creditPoolBytes", budgets.credit().capacityBytes());
    map.put("storeUsedBytes", all.storeUsedBytes());
    map.put("storeBytes", all.storeBytes());
    map.put("fileBlocksUsed", FileBlocks.SHARED.usedCount());
    map.put("fileBlocksMax", FileBlocks.BLOCKS_MAX);
    return map;
  }
}
