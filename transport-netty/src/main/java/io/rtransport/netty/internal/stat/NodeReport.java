package io.rtransport.netty.internal.stat;

import io.rtransport.core.stats.PeerStats;
import java.util.Map;

/**
 * Messages of one node of this process. They count since it was opened.
 *
 * @param name its name
 * @param peers messages to each of its peers, by the peers' names
 */
public record NodeReport(String name, Map<String, PeerStats> peers) {}
