package io.rtransport.core.connection;

import java.net.InetSocketAddress;

/**
 * A network interface of this side and an address of the peer: what a path runs over.
 *
 * @param ni index of the interface among those of the {@link Endpoint}
 * @param remote address of the peer
 */
public record Pair(int ni, InetSocketAddress remote) {
  /** Returns whether a packet that came in by {@code by} from {@code from} is of this pair. */
  boolean isAt(int by, InetSocketAddress from) {
    return ni == by && remote.equals(from);
  }
}
