package io.rtransport.netty.node;

/**
 * What a router has done since it was opened.
 *
 * @param forwarded messages that were sent on, each attempt counted
 * @param strangers messages of origins that are not listed
 * @param withoutRoute messages without a way on: no such destination, no hops left, no connection
 * @param lost messages whose next hop was lost before it answered
 * @param unknown messages whose header was none of a node
 * @param heldBytesMax most payload bytes that it held at a time
 */
public record RouterStats(
    long forwarded,
    long strangers,
    long withoutRoute,
    long lost,
    long unknown,
    long heldBytesMax) {}
