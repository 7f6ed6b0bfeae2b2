package io.rtransport.netty.flight;

import io.rtransport.core.rail.Cause;
import io.rtransport.core.rail.NiReport;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.rail.RailHealthConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * Events of the interfaces of a node, made of the changes of their health since the look before.
 * Any thread.
 */
public final class RailFlight {
  private static final InterfaceEvent INTERFACE = new InterfaceEvent(); // never committed

  private final RailHealth health;
  private volatile long seenVersion = -1; // −1: nobody records
  private Map<String, NiReport> seen = Map.of();

  public RailFlight(RailHealth health) {
    this.health = health;
  }

  /** Tells what has changed. Costs a read while nothing has. */
  public void look() {
    if (!INTERFACE.isEnabled()) {
      if (seenVersion != -1) {
        seenVersion = -1;
      }
    } else if (health.version() != seenVersion) {
      tell();
    }
  }

  private synchronized void tell() {
    boolean isFirst = seenVersion == -1; // what was before the recording is no news
    seenVersion = health.version();
    Map<String, NiReport> now = new HashMap<>();
    for (NiReport ni : health.reports()) {
      String key = (ni.isLocal() ? "ours " : "peer ") + ni.name();
      now.put(key, ni);
      if (!isFirst) {
        tell(seen.get(key), ni);
      }
    }
    seen = now;
  }

  private static void tell(NiReport before, NiReport now) {
    int healthBefore = before == null ? RailHealthConfig.HEALTH_MAX : before.health();
    boolean wasFailed = before != null && before.isFailed();
    if (healthBefore == now.health() && wasFailed == now.isFailed()) {
      return;
    }
    InterfaceEvent event = new InterfaceEvent();
    event.name = now.name();
    event.ours = now.isLocal();
    event.healthBefore = healthBefore;
    event.health = now.health();
    event.failed = now.isFailed();
    event.causes = causes(before == null ? Map.of() : before.charges(), now.charges());
    event.commit();
  }

  private static String causes(Map<Cause, Long> before, Map<Cause, Long> now) {
    TreeSet<String> grown = new TreeSet<>();
    now.forEach(
        (cause, count) -> {
          if (count > before.getOrDefault(cause, 0L)) {
            grown.add(cause.name());
          }
        });
    return String.join(" ", grown);
  }
}
