package io.rtransport.core.rail;

import java.net.InetSocketAddress;

/**
 * An interface that is down: it has failed, or has no health left.
 *
 * @param isLocal whether it is ours
 * @param network its network; empty for none
 * @param address its address; of ours with port 0
 * @see RailHealth#downs
 */
public record DownNi(boolean isLocal, String network, InetSocketAddress address) {}
