package io.rtransport.loadgen.rig;

import java.util.List;
import java.util.Map;

/**
 * All results of a run, before they are turned into a report.
 *
 * @param parts the client's event loops, which are quiet
 * @param client resources and receptions of the client
 * @param server resources and receptions of the server
 * @param warmupNs length of the warm-up
 * @param isSteady whether a warm-up that waits for a steady rate has reached it; null for others
 * @param measuredNs the measured time: the duration, or less when the run was stopped
 * @param proxyReady what the proxy said at its start, or null
 * @param proxyEnd what the proxy said at its end, or null
 */
public record RunOutcome(
    LoadOptions options,
    List<LoadClient.Part> parts,
    Map<String, Object> client,
    Map<String, Object> server,
    long warmupNs,
    Boolean isSteady,
    long measuredNs,
    Map<?, ?> proxyReady,
    Map<?, ?> proxyEnd) {
  RunOutcome withProxyEnd(Map<?, ?> end) {
    return new RunOutcome(
        options, parts, client, server, warmupNs, isSteady, measuredNs, proxyReady, end);
  }
}
