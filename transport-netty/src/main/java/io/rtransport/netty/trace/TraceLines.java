package io.rtransport.netty.trace;

import io.netty.channel.Channel;
import io.rtransport.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Begins and ends the lines of one channel: each has the time since the first, the channel and the
 * event. Confined to its event loop.
 */
final class TraceLines {
  private final Channel channel;
  private final TraceOutput output;
  private long startNs;
  private boolean isStarted;

  TraceLines(Channel channel, TraceOutput output) {
    this.channel = channel;
    this.output = output;
  }

  /** A line to be filled, and then given to {@link #end}. */
  Map<String, Object> begin(String event) {
    long nowNs = nowNs();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("timeNs", nowNs);
    line.put("channel", channel.id().asShortText());
    line.put("event", event);
    return line;
  }

  /** Nanoseconds since the first that was asked for. */
  long nowNs() {
    long ns = channel.eventLoop().ticker().nanoTime();
    if (!isStarted) {
      isStarted = true;
      startNs = ns;
    }
    return ns - startNs;
  }

  void end(Map<String, Object> line) {
    output.accept(Json.write(line));
  }
}
