package io.rtransport.netty;

import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import java.util.Map;

/**
 * A snapshot of a channel's counts, all read in one moment.
 *
 * @param messagesRead messages given to {@code channelRead}
 * @param messagesWritten messages taken by {@code write}
 * @param pipelineEvents events that passed a handler below {@code rt-transaction}: each burst once
 *     a handler
 * @param socketCalls system calls of the channel's port, which a server's children share
 * @param refusedSegmentSends GSO sends that the kernel refused the port, which has sent packet by
 *     packet since the first of them
 * @param wakeups deadlines that woke the event loop, for all its channels
 * @param datagramLengthBytes UDP payload of the longest packet that the channel sends now, which
 *     path MTU discovery changes; 0 before it is connected
 * @param heldNs for how many nanoseconds each bound has held back what this side sends; bounds that
 *     never did are missing, and so is {@link Bound#NONE}
 * @param counters the connection's own counters that are not 0
 */
public record RtChannelStats(
    long messagesRead,
    long messagesWritten,
    long pipelineEvents,
    long socketCalls,
    long refusedSegmentSends,
    long wakeups,
    int datagramLengthBytes,
    Map<Bound, Long> heldNs,
    Map<CounterId, Long> counters) {}
