package io.rtransport.core.parameter;

import io.rtransport.core.stats.Limits;

/** Makes {@link AgreedParameters} for tests of a sublayer alone: both sides alike, any values. */
public final class Agreement {
  private boolean isOrdered = true;
  private int datagramLengthBytes = 1_408;
  private int outstandingMax = 256;
  private int solicitThresholdBytes = 8 << 10;
  private int headerLengthMax = 256;
  private int requestWindow = 256;
  private int dataWindow = 1_024;
  private int peerRequestWindow = 256;
  private int peerDataWindow = 1_024;
  private int initialCreditBytes = 16 << 10;
  private long messageLengthMax = 4 << 20;
  private long ackDelayNsMax;
  private int features = DirectionParameters.FEATURE_UNAWAITED;
  private InitialNumbers own = new InitialNumbers(0, 0, 0, 0);
  private InitialNumbers peer = own;

  public Agreement ordered(boolean value) {
    isOrdered = value;
    return this;
  }

  public Agreement datagramLengthBytes(int value) {
    datagramLengthBytes = value;
    return this;
  }

  public Agreement outstandingMax(int value) {
    outstandingMax = value;
    return this;
  }

  public Agreement solicitThresholdBytes(int value) {
    solicitThresholdBytes = value;
    return this;
  }

  public Agreement headerLengthMax(int value) {
    headerLengthMax = value;
    return this;
  }

  /** Of both sides. */
  public Agreement windows(int request, int data) {
    requestWindow = request;
    dataWindow = data;
    return peerWindows(request, data);
  }

  public Agreement peerWindows(int request, int data) {
    peerRequestWindow = request;
    peerDataWindow = data;
    return this;
  }

  public Agreement initialCreditBytes(int value) {
    initialCreditBytes = value;
    return this;
  }

  public Agreement messageLengthMax(long value) {
    messageLengthMax = value;
    return this;
  }

  public Agreement ackDelayNsMax(long value) {
    ackDelayNsMax = value;
    return this;
  }

  /** Credit limits go up to {@link Limits#CREDIT_AHEAD_BYTES_MAX}. */
  public Agreement longCredit() {
    features |= DirectionParameters.FEATURE_LONG_CREDIT;
    return this;
  }

  public Agreement numbers(InitialNumbers ofOwn, InitialNumbers ofPeer) {
    own = ofOwn;
    peer = ofPeer;
    return this;
  }

  public AgreedParameters make() {
    CommonParameters both =
        new CommonParameters(
            isOrdered,
            datagramLengthBytes,
            outstandingMax,
            solicitThresholdBytes,
            headerLengthMax,
            300_000_000_000L,
            4_200_000_000L);
    return new AgreedParameters(
        both,
        direction(peerRequestWindow, peerDataWindow),
        direction(requestWindow, dataWindow),
        own,
        peer);
  }

  private DirectionParameters direction(int request, int data) {
    return new DirectionParameters(
        request,
        data,
        Limits.PACKET_LENGTH_MAX,
        initialCreditBytes,
        messageLengthMax,
        ackDelayNsMax,
        features);
  }
}
