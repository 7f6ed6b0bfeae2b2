package io.rtransport.netty.node;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.netty.internal.loop.Nodes;
import java.util.concurrent.TimeUnit;

/** Times of messages, by the knobs as they are now. Any thread. */
final class NodeTimes {
  private NodeTimes() {}

  static RailHealthConfig knobs() {
    return Nodes.RAIL_HEALTH.config();
  }

  /** Returns a knob that is given in milliseconds. */
  static long ns(HealthParameter knob) {
    return TimeUnit.MILLISECONDS.toNanos(knobs().get(knob));
  }

  /** Returns the time of one attempt. */
  static long attemptNs() {
    return knobs().attemptNs(ns(HealthParameter.TRANSACTION_TIMEOUT_MILLIS));
  }

  /** Returns the time of one attempt to connect: that of a message's attempt, 0.1 s to 5 min. */
  static int connectMillis() {
    long millis = TimeUnit.NANOSECONDS.toMillis(attemptNs());
    return (int) Math.min(300_000, Math.max(100, millis));
  }
}
