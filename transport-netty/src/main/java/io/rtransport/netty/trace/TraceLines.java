package io.rtransport.netty.trace;

import io.netty.channel.Channel;
import io.rtransport.core.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Begins and ends the lines of one channel. Each line has the time since the channel's first line,
 * the channel and the event. Confined to the channel's event loop.
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

  /** Returns a new line. The caller fills it and gives it to {@link #end}. */
  Map<String, Object> begin(String event) {
    long nowNs = nowNs();
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("timeNs", nowNs);
    line.put("channel", channel.id().asShortText());
    line.put("event", event);
    return line;
  }

  /** Returns the nanoseconds since the first call. */
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
