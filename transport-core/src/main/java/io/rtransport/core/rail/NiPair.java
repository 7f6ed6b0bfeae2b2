package io.rtransport.core.rail;

/**
 * Interfaces between which a message travels to the next hop.
 *
 * @param local our interface
 * @param peer interface of the peer, or of the router
 */
public record NiPair(NiView local, NiView peer) {}
