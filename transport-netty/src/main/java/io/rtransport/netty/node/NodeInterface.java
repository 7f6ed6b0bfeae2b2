package io.rtransport.netty.node;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * An interface that a node uses, as its application is told of it. What tells that it is up again
 * is equal to what told that it is down.
 *
 * @param isOurs whether it is one of this host
 * @param address its address; of one of this host with port 0
 * @param peers names of the peers and routers that have this address, sorted; empty if it is ours
 * @see NodeTarget#onInterfaceDown
 */
public record NodeInterface(boolean isOurs, InetSocketAddress address, List<String> peers) {}
