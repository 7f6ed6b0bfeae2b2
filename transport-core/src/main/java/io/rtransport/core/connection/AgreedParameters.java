package io.rtransport.core.connection;

/**
 * What holds for a connection once both sides have spoken. Fields named {@code tx} are what we may
 * do, given by the peer; fields named {@code rx} are what we gave.
 *
 * @param txRequestWindow packets that we may have unacknowledged, the lesser of the peer's receive
 *     window and our own
 * @param txDataWindow the same for data
 * @param rxRequestWindow packets of the peer that we track
 * @param rxDataWindow the same for data
 * @param txNumbers where our numbers start
 * @param rxNumbers where the peer's start
 * @param isOrdered whether messages and ends come in the order of submission, in both directions:
 *     unless neither side asks for that
 * @param datagramLengthBytes UDP payload, the lesser
 * @param txDatagramLengthMax the longest datagram that the peer takes, where path MTU discovery
 *     finds the room
 * @param txInitialCreditBytes what we may push unasked at first
 * @param rxInitialCreditBytes what the peer may
 * @param outstandingMax unended transactions a direction, the lesser
 * @param solicitThresholdBytes pushes above it ask first, the lesser
 * @param headerLengthMax application header, the lesser, and no more than fits a packet
 * @param txMessageLengthMax the largest message that the peer takes
 * @param rxMessageLengthMax the largest that we take
 * @param ackDelayNsMax how long we hold an acknowledgement at the most; our timer's tick, which the
 *     peer was told of too, is not in it
 * @param peerAckDelayNsMax the latest that the peer's acknowledgement leaves, its timer's tick
 *     included
 * @param idleTimeoutNs the lesser, but at least twice the larger total timeout
 * @param livenessTotalNs the larger of both sides' total timeouts
 * @param isUnawaitedKnown whether the peer takes pushes that say that nobody waits for their ends
 * @param isLongCreditTaken whether we take a credit limit that is more than 2 MiB ahead
 * @param isLongCreditKnown whether the peer does
 */
public record AgreedParameters(
    int txRequestWindow,
    int txDataWindow,
    int rxRequestWindow,
    int rxDataWindow,
    InitialNumbers txNumbers,
    InitialNumbers rxNumbers,
    boolean isOrdered,
    int datagramLengthBytes,
    int txDatagramLengthMax,
    int txInitialCreditBytes,
    int rxInitialCreditBytes,
    int outstandingMax,
    int solicitThresholdBytes,
    int headerLengthMax,
    long txMessageLengthMax,
    long rxMessageLengthMax,
    long ackDelayNsMax,
    long peerAckDelayNsMax,
    long idleTimeoutNs,
    long livenessTotalNs,
    boolean isUnawaitedKnown,
    boolean isLongCreditTaken,
    boolean isLongCreditKnown) {

  /**
   * Fixed headers, record header and what is held back: what a packet needs beside an application
   * header.
   */
  private static final int HEADER_ROOM = 128;

  static AgreedParameters of(OfferedParameters own, OfferedParameters peer) {
    int datagramLength = Math.min(own.datagramLengthBytes(), peer.datagramLengthBytes());
    long total = Math.max(own.adpTotalNs(), peer.adpTotalNs());
    return new AgreedParameters(
        Math.min(own.requestWindow(), peer.requestWindow()),
        Math.min(own.dataWindow(), peer.dataWindow()),
        own.requestWindow(),
        own.dataWindow(),
        own.numbers(),
        peer.numbers(),
        own.isOrdered() || peer.isOrdered(),
        datagramLength,
        peer.datagramLengthBytesMax(),
        peer.initialCreditBytes(),
        own.initialCreditBytes(),
        Math.min(own.outstandingMax(), peer.outstandingMax()),
        Math.min(own.solicitThresholdBytes(), peer.solicitThresholdBytes()),
        Math.min(
            Math.min(own.headerLengthMax(), peer.headerLengthMax()), datagramLength - HEADER_ROOM),
        peer.messageLengthMax(),
        own.messageLengthMax(),
        own.ackHoldNs(),
        peer.ackDelayNsMax(),
        Math.max(Math.min(own.idleTimeoutNs(), peer.idleTimeoutNs()), 2 * total),
        total,
        peer.has(OfferedParameters.FEATURE_UNAWAITED),
        own.has(OfferedParameters.FEATURE_LONG_CREDIT),
        peer.has(OfferedParameters.FEATURE_LONG_CREDIT));
  }
}
