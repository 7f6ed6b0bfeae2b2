package io.rtransport.netty.internal.stat;

/**
 * What a rail is known by: two interfaces, and a number where a connection has several paths over
 * the same two, from different ports of ours.
 *
 * @param local our interface
 * @param peer the peer's
 * @param number counted from 1
 */
public record RailKey(String local, String peer, int number) {}
