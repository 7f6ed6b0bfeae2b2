package io.rtransport.core.stats;

import java.net.InetSocketAddress;

/**
 * State and statistics of one open path at one moment. They count from the opening of the path.
 *
 * @param index its index among the connection's paths, for {@link
 *     io.rtransport.core.connection.Connection#ni}
 * @param localName our interface as {@link io.rtransport.core.rail.NiReport#name} has it; null for
 *     the only path of a connection
 * @param peerName the peer's interface, likewise
 * @param remote the peer's address
 * @param isSuspect whether it takes no packets: it does not answer, or has not yet
 * @param rttNs smoothed round trip, ns; 0 without a sample
 * @param packetsInFlight packets sent on it last and not acknowledged
 * @param bytesInFlight bytes of packets on it that are neither acknowledged nor judged lost
 * @param datagramsSent UDP datagrams that left on it, without those that open a path or follow a
 *     peer that has moved
 * @param bytesSent their payload, bytes
 * @param datagramsReceived valid UDP datagrams that arrived on it
 * @param bytesReceived their payload, bytes
 * @param resentOn resends that left on it
 * @param resentFrom resends, on any path, of packets that had left on it last
 * @param movedFrom those of them that left on another path because this one was suspect
 * @param health the lower health of its two interfaces, 0 to 1000; −1 for a connection over one
 *     path
 */
public record PathReport(
    int index,
    String localName,
    String peerName,
    InetSocketAddress remote,
    boolean isSuspect,
    long rttNs,
    int packetsInFlight,
    long bytesInFlight,
    long datagramsSent,
    long bytesSent,
    long datagramsReceived,
    long bytesReceived,
    long resentOn,
    long resentFrom,
    long movedFrom,
    int health) {}
