package io.rtransport.netty;

import io.rtransport.core.stats.Bound;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.PathReport;
import java.util.List;
import java.util.Map;

/**
 * Snapshot of a channel's counts, all read at one moment.
 *
 * @param messagesRead messages given to {@code channelRead}
 * @param messagesWritten messages that {@code write} has taken
 * @param pipelineEvents events that passed a handler below {@code rt-transaction}; each burst
 *     counts once for each handler
 * @param socketCalls system calls of the channel's port; a server's children share their port
 * @param refusedSegmentSends GSO sends of the port that the kernel refused; after the first refusal
 *     the port sends packet by packet
 * @param wakeups deadlines that woke the event loop, for all its channels
 * @param datagramLengthBytes UDP payload of the longest packet that the channel sends now, which
 *     path MTU discovery changes; 0 before the channel is connected
 * @param heldNs nanoseconds for which each bound has held back the data that this side sends;
 *     bounds that never did are missing, and so is {@link Bound#NONE}
 * @param isInDoubt whether the peer may be gone: a PING is unanswered for 50 ms if the network
 *     refused one, else for 250 ms, and in both cases for at least two round trips. The connection
 *     goes on
 * @param paths the open paths of the connection, in the order of their indexes; empty before it is
 *     connected
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
    boolean isInDoubt,
    List<PathReport> paths,
    Map<CounterId, Long> counters) {}
