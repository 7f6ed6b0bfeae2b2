package io.rtransport.netty.internal.stat;

import io.rtransport.core.stats.PeerStats;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * Messages of one node of this process. They count since it was opened.
 *
 * @param name its name
 * @param peers messages to each of its peers, by the peers' names
 * @param learnt addresses that were learnt of peers, by the peers' names; those of which none was
 *     are absent
 */
public record NodeReport(
    String name, Map<String, PeerStats> peers, Map<String, List<InetSocketAddress>> learnt) {}
