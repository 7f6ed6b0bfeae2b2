package io.rtransport.netty.node;

import io.rtransport.netty.RtRail;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A peer and how it is reached.
 *
 * @param name that it calls itself
 * @param first its address
 * @param rails further ways to it
 */
record PeerConfig(String name, InetSocketAddress first, List<RtRail> rails) {}
