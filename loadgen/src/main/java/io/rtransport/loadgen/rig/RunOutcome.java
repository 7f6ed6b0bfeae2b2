package io.rtransport.loadgen.rig;

import java.util.List;
import java.util.Map;

/**
 * Everything that a run found, before it is worked into a report.
 *
 * @param parts the client's event loops, quiet by now
 * @param client what the client used and received
 * @param server what the server used and received
 * @param warmupNs how long the warm-up took
 * @param isSteady whether a warm-up that waits for a steady rate has reached it; null of others
 * @param measuredNs the measured time: the duration, or less when the run was stopped
 * @param proxyReady what the proxy said of itself at its start, or null
 * @param proxyCounts what it said at its end, or null
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
    Map<?, ?> proxyCounts) {
  RunOutcome withProxyCounts(Map<?, ?> counts) {
    return new RunOutcome(
        options, parts, client, server, warmupNs, isSteady, measuredNs, proxyReady, counts);
  }
}
