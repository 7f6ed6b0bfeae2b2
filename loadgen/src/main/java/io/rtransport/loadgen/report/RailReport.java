package io.rtransport.loadgen.report;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.text.HostPort;
import io.rtransport.loadgen.rig.RunOutcome;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The rails' part of a report, from what the proxies said. Stateless. */
public final class RailReport {
  private static final String[] DIRECTIONS = {"out", "back"};

  /** Datagrams that may be counted at one place only: of set-up, and after the last count. */
  private static final int UNCOUNTED_MAX = 64;

  private static final int UNCOUNTED_PER_CONNECTION_MAX = 16;

  private RailReport() {}

  /**
   * Returns of each rail its address, and its share of the datagrams that the proxies forwarded
   * both ways from start to end. Null for a run without proxies.
   */
  static List<Map<String, Object>> rails(RunOutcome outcome) {
    if (outcome.proxyEnd() == null) {
      return null;
    }
    List<?> proxies = (List<?>) outcome.proxyEnd().get("rails");
    List<?> ports = (List<?>) outcome.proxyReady().get("ports");
    double all = proxies.stream().mapToLong(proxy -> forwarded((Map<?, ?>) proxy)).sum();
    List<Map<String, Object>> rails = new ArrayList<>();
    for (Object proxy : proxies) {
      int port = ((Number) ports.get(rails.size())).intValue();
      String host = InetAddress.getLoopbackAddress().getHostAddress();
      Map<String, Object> rail = new LinkedHashMap<>();
      rail.put("nid", new HostPort(host, port).toString());
      rail.put("share", all == 0 ? null : forwarded((Map<?, ?>) proxy) / all);
      rail.put("health", ofClient(outcome, "railHealth", rail.get("nid"), null));
      rail.put("resends", ofClient(outcome, "railResends", rail.get("nid"), 0L));
      rails.add(rail);
    }
    return rails;
  }

  /**
   * Returns what the client says of the interface that a rail leads to.
   *
   * @param unnamed what it is where the client does not name the interface
   * @return null if the client says nothing of any interface
   */
  private static Object ofClient(RunOutcome outcome, String what, Object nid, Object unnamed) {
    if (outcome.client().get("details") instanceof Map<?, ?> details
        && details.get(what) instanceof Map<?, ?> byInterface) {
      Object said = byInterface.get(nid);
      return said == null ? unnamed : said;
    }
    return null;
  }

  private static long forwarded(Map<?, ?> proxy) {
    long sum = 0;
    for (String direction : DIRECTIONS) {
      sum += number((Map<?, ?>) proxy.get(direction), "forwarded");
    }
    return sum;
  }

  private static long number(Map<?, ?> map, String key) {
    return ((Number) map.get(key)).longValue();
  }

  /** Returns the counts of each rail by direction, or null for a run without proxies. */
  static Object proxies(RunOutcome outcome) {
    return outcome.proxyEnd() == null ? null : outcome.proxyEnd().get("rails");
  }

  /** Returns the kills and restores that happened, or null for a run without proxies. */
  static Object events(RunOutcome outcome) {
    return outcome.proxyEnd() == null ? null : outcome.proxyEnd().get("events");
  }

  /** Returns what came into each rail over time, or null for a run without several rails. */
  static Object course(RunOutcome outcome) {
    return outcome.proxyEnd() == null || outcome.options().rails().count() == 1
        ? null
        : outcome.proxyEnd().get("course");
  }

  /** Returns the fates of all datagrams in the proxies, or null for a run without them. */
  static Object impairment(RunOutcome outcome) {
    return outcome.proxyEnd() == null ? null : outcome.proxyEnd().get("impairment");
  }

  /**
   * Returns what the proxies did wrong, a line each. Such a run has not measured what was asked.
   *
   * <p>An end that received more datagrams than the proxies forwarded to it got some by another
   * way. It may receive less, for the system drops what a socket's buffer does not hold.
   *
   * @param report as {@link LoadReport} has made it
   */
  public static List<String> faults(Map<String, Object> report) {
    List<String> faults = new ArrayList<>();
    if (report.get("railProxies") instanceof List<?> proxies) {
      for (Object proxy : proxies) {
        Map<?, ?> rail = (Map<?, ?>) proxy;
        long count = number(rail, "forwardedWhileDark");
        if (count > 0) {
          faults.add("rail " + rail.get("rail") + " forwarded " + count + " datagrams while dark");
        }
      }
    }
    if (report.get("railEvents") instanceof List<?> events) {
      for (Object event : events) {
        Map<?, ?> happened = (Map<?, ?>) event;
        if (happened.get("failure") != null) {
          faults.add("rail " + happened.get("rail") + ": " + happened.get("failure"));
        }
      }
    }
    addPassedBy(faults, report, "out", "server");
    addPassedBy(faults, report, "back", "client");
    return faults;
  }

  private static void addPassedBy(
      List<String> faults, Map<String, Object> report, String direction, String end) {
    if (report.get("railProxies") instanceof List<?> proxies
        && report.get("counters") instanceof Map<?, ?> counters
        && counters.get(end) instanceof Map<?, ?> ofEnd
        && ofEnd.get(CounterId.DATAGRAMS_RECEIVED.name()) instanceof Number received) {
      long forwarded = 0;
      for (Object proxy : proxies) {
        forwarded += number((Map<?, ?>) ((Map<?, ?>) proxy).get(direction), "forwarded");
      }
      long connections = number(report, "connections");
      long uncounted = UNCOUNTED_MAX + UNCOUNTED_PER_CONNECTION_MAX * connections;
      if (received.longValue() > forwarded + uncounted) {
        faults.add(
            "the "
                + end
                + " received "
                + received
                + " datagrams, and the rails forwarded "
                + forwarded
                + " to it");
      }
    }
  }
}
