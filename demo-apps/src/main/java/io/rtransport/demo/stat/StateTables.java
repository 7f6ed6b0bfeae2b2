package io.rtransport.demo.stat;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.demo.terminal.TextTable;
import io.rtransport.demo.terminal.Units;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A node's state as tables for a person. Stateless. */
public final class StateTables {
  /** Most connections of the table; the JSON has more. */
  private static final int CONNECTIONS_MAX = 20;

  /** Most next hops of a router that are named. */
  private static final int HOPS_MAX = 5;

  /** What the names of all timeouts end with; the column says it once. */
  private static final String TIMEOUT = "_TIMEOUT";

  private StateTables() {}

  public static void print(NodeState state, PrintWriter out) {
    head(state, out);
    rails(state, out);
    interfaces(state, out);
    connections(state, out);
    nodes(state, out);
    routers(state, out);
    line(out, "counters", pairs(state.object("counters")));
    line(out, "knobs that are not the default", knobs(state.object("knobs")));
    out.flush();
  }

  private static void head(NodeState state, PrintWriter out) {
    NodeState total = state.object("total");
    NodeState memory = state.object("memory");
    long loops = state.number("loops");
    long missing = loops - state.number("loopsAnswered");
    out.printf(
        "node %d: %d event loops%s, %d connections (%d set up), %d paths (%d suspect)%n",
        state.number("pid"),
        loops,
        missing == 0 ? "" : " (" + missing + " too busy to answer, and missing below)",
        state.number("connectionCount"),
        total.number("established"),
        total.number("pathsOpen"),
        total.number("pathsSuspect"));
    out.printf(
        "open: %d transactions of this side, %d of peers; waiting %s, in flight %d packets, %s%n",
        total.number("ownTransactions"),
        total.number("peerTransactions"),
        Units.bytes(total.number("waitingBytes")),
        total.number("packetsInFlight"),
        Units.bytes(total.number("bytesInFlight")));
    out.printf(
        "memory: granted %s of %s, credit %s of %s, store %s of %s, file blocks %d of %d%n",
        Units.bytes(memory.number("solicitationUsedBytes")),
        Units.bytes(memory.number("solicitationBudgetBytes")),
        Units.bytes(memory.number("creditUsedBytes")),
        Units.bytes(memory.number("creditPoolBytes")),
        Units.bytes(memory.number("storeUsedBytes")),
        Units.bytes(memory.number("storeBytes")),
        memory.number("fileBlocksUsed"),
        memory.number("fileBlocksMax"));
  }

  private static void rails(NodeState state, PrintWriter out) {
    TextTable table =
        new TextTable(
            "rail",
            ">share",
            ">health",
            ">paths",
            ">suspect",
            ">sent",
            ">",
            ">received",
            ">",
            ">resent on",
            ">resent from",
            ">moved from",
            ">in flight",
            ">RTT");
    for (NodeState rail : state.list("rails")) {
      Double share = rail.decimalOrNull("share");
      Double health = rail.decimalOrNull("health");
      table.row(
          rail(rail),
          share == null ? "-" : String.format(Locale.ROOT, "%.1f %%", 100 * share),
          health == null ? "-" : Long.toString(health.longValue()),
          text(rail, "paths"),
          text(rail, "pathsSuspect"),
          text(rail, "datagramsSent"),
          Units.bytes(rail.number("bytesSent")),
          text(rail, "datagramsReceived"),
          Units.bytes(rail.number("bytesReceived")),
          text(rail, "resentOn"),
          text(rail, "resentFrom"),
          text(rail, "movedFrom"),
          text(rail, "packetsInFlight"),
          rtt(rail));
    }
    section(table, state.list("rails").size(), state.number("railCount"), "rails", out);
  }

  private static String rail(NodeState rail) {
    long number = rail.number("number");
    return rail.text("local")
        + " - "
        + rail.text("peer")
        + (number == 1 ? "" : " (" + number + ")");
  }

  private static void interfaces(NodeState state, PrintWriter out) {
    TextTable table =
        new TextTable(
            "interface",
            "side",
            ">health",
            "band",
            "state",
            ">paths",
            ">pings",
            ">failed",
            ">next ping",
            "charges",
            "timeouts",
            "errors",
            "last changes");
    for (NodeState ni : state.list("interfaces")) {
      Double next = ni.decimalOrNull("nextPingMillis");
      table.row(
          ni.text("nid"),
          ni.text("side"),
          text(ni, "health"),
          ni.text("band").toLowerCase(Locale.ROOT),
          ni.text("state"),
          text(ni, "paths"),
          text(ni, "pingsSent"),
          text(ni, "pingsFailed"),
          next == null ? "-" : next.longValue() + " ms",
          dashed(pairs(ni.object("charges"))),
          dashed(pairs(ni.object("timeouts")).replace(TIMEOUT, "")),
          dashed(pairs(ni.object("errors"))),
          history(ni.list("history")));
    }
    section(
        table, state.list("interfaces").size(), state.number("interfaceCount"), "interfaces", out);
  }

  /** Returns the last three changes, the newest first: {@code 900 1.2 s ago}. */
  private static String history(List<NodeState> changes) {
    List<String> texts = new ArrayList<>();
    for (int i = changes.size() - 1; i >= Math.max(0, changes.size() - 3); i--) {
      NodeState change = changes.get(i);
      texts.add(
          String.format(
              Locale.ROOT,
              "%d %.1f s ago",
              change.number("health"),
              change.number("agoMillis") / 1e3));
    }
    return dashed(String.join(", ", texts));
  }

  private static void connections(NodeState state, PrintWriter out) {
    TextTable table =
        new TextTable(
            "connection",
            ">paths",
            ">suspect",
            ">RTT",
            ">in flight",
            ">waiting",
            ">own open",
            ">peer's open");
    List<NodeState> all = state.list("connections");
    List<NodeState> shown = all.subList(0, Math.min(CONNECTIONS_MAX, all.size()));
    for (NodeState connection : shown) {
      table.row(
          connection.text("peer"),
          text(connection, "pathsOpen"),
          text(connection, "pathsSuspect"),
          rtt(connection),
          text(connection, "packetsInFlight"),
          Units.bytes(connection.number("waitingBytes")),
          text(connection, "ownTransactions"),
          text(connection, "peerTransactions"));
    }
    section(table, shown.size(), state.number("connectionCount"), "connections", out);
  }

  private static void nodes(NodeState state, PrintWriter out) {
    TextTable table =
        new TextTable(
            "messages of",
            "to",
            ">taken",
            ">open",
            ">completed",
            ">failed",
            ">unknown",
            ">not executed",
            ">again",
            ">attempt",
            ">p99",
            ">message",
            ">p99",
            "learnt");
    List<NodeState> nodes = state.list("nodes");
    int shown = 0;
    for (NodeState node : nodes) {
      for (NodeState peer : node.list("peers")) {
        if (peer.number("messages") == 0) {
          continue; // a router sends none of its own
        }
        shown++;
        long again =
            peer.number("againAfterLoss")
                + peer.number("againAfterSilence")
                + peer.number("againAfterNoWay");
        table.row(
            node.text("name"),
            peer.text("name"),
            text(peer, "messages"),
            text(peer, "open"),
            text(peer, "completed"),
            text(peer, "failed"),
            text(peer, "unknown"),
            text(peer, "notExecuted"),
            String.valueOf(again),
            time(peer, "attemptMicros"),
            time(peer, "attemptP99Micros"),
            time(peer, "completedMicros"),
            time(peer, "completedP99Micros"),
            dashed(String.join(",", peer.texts("learnt"))));
      }
    }
    section(table, shown, shown + state.number("nodeCount") - nodes.size(), "nodes", out);
  }

  private static void routers(NodeState state, PrintWriter out) {
    TextTable table =
        new TextTable(
            "router",
            ">forwarded",
            ">no route",
            ">strangers",
            ">lost",
            ">unknown",
            ">held",
            ">most held",
            ">hops up",
            "hops not up");
    List<NodeState> routers = state.list("routers");
    for (NodeState router : routers) {
      List<String> down = new ArrayList<>();
      for (NodeState hop : router.list("hops")) {
        if (!hop.flag("up")) {
          down.add(hop.text("destination"));
        }
      }
      table.row(
          router.text("name"),
          text(router, "forwarded"),
          text(router, "withoutRoute"),
          text(router, "strangers"),
          text(router, "lost"),
          text(router, "unknown"),
          Units.bytes(router.number("heldBytes")),
          Units.bytes(router.number("heldBytesMax")),
          text(router, "hopsUp") + " of " + text(router, "hopCount"),
          dashed(String.join(",", down.subList(0, Math.min(HOPS_MAX, down.size())))));
    }
    section(table, routers.size(), state.number("routerCount"), "routers", out);
  }

  private static void section(
      TextTable table, int shown, long count, String what, PrintWriter out) {
    if (shown == 0) {
      return;
    }
    out.println();
    table.print(out);
    if (count > shown) {
      out.println("and " + (count - shown) + " more " + what);
    }
  }

  private static void line(PrintWriter out, String title, String text) {
    if (!text.isEmpty()) {
      out.println();
      out.println(title + ": " + text);
    }
  }

  private static String pairs(NodeState of) {
    List<String> texts = new ArrayList<>();
    of.keys().forEach(key -> texts.add(key + "=" + of.number(key)));
    return String.join(" ", texts);
  }

  private static String knobs(NodeState knobs) {
    List<String> texts = new ArrayList<>();
    for (HealthParameter parameter : HealthParameter.values()) {
      long value = knobs.number(parameter.text());
      if (value != parameter.usual()) {
        texts.add(parameter.text() + "=" + value);
      }
    }
    return String.join(" ", texts);
  }

  private static String text(NodeState of, String key) {
    return Long.toString(of.number(key));
  }

  private static String dashed(String text) {
    return text.isEmpty() ? "-" : text;
  }

  private static String time(NodeState of, String micros) {
    long value = of.number(micros);
    return value == 0 ? "-" : Units.millis(TimeUnit.MICROSECONDS.toNanos(value));
  }

  private static String rtt(NodeState of) {
    Double micros = of.decimalOrNull("rttMicros");
    return micros == null ? "-" : Units.millis(Math.round(micros * 1e3));
  }
}
