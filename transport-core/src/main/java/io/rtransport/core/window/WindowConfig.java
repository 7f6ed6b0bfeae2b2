package io.rtransport.core.window;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.Integrity;

/**
 * What the window sublayer of one connection is told: identity, and the parameters that both sides
 * agreed on at set-up.
 *
 * @param localCid this side's connection id, the key of its packets in the CAM
 * @param peerCid the destination of its packets
 * @param peerCookie the peer's cookie, for the clear header
 * @param datagramSizeBytes UDP payload, 576..8,192
 * @param requestWindow packets of this side's request windows, sending and receiving; a power of
 *     two in 64..16,384
 * @param dataWindow as above, of the data windows
 * @param peerRequestWindow packets that the peer's request receive window holds, at least 1
 * @param peerDataWindow as above, of its data receive window
 * @param firstRequestPsn the first request packet number that this side uses
 * @param firstDataPsn as above, of data
 * @param peerFirstRequestPsn the first request packet number that the peer uses
 * @param peerFirstDataPsn as above, of data
 * @param ackDelayMaxNs how long this side may hold an acknowledgement, at least 0
 * @param peerAckDelayMaxNs how long the peer may
 */
public record WindowConfig(
    int localCid,
    int peerCid,
    long peerCookie,
    int datagramSizeBytes,
    int requestWindow,
    int dataWindow,
    int peerRequestWindow,
    int peerDataWindow,
    int firstRequestPsn,
    int firstDataPsn,
    int peerFirstRequestPsn,
    int peerFirstDataPsn,
    long ackDelayMaxNs,
    long peerAckDelayMaxNs) {

  /** One ACK in a thousand microseconds at the latest, unless more is owed. */
  public static final long DEFAULT_ACK_DELAY_MAX_NS = 1_000_000;

  /** Checks what the record alone can check; the windows check their sizes. */
  public WindowConfig {
    if (datagramSizeBytes < Limits.DATAGRAM_LENGTH_MIN
        || datagramSizeBytes > Limits.DATAGRAM_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "datagramSizeBytes=" + datagramSizeBytes + ", valid: 576..8192");
    }
    if (peerRequestWindow < 1 || peerDataWindow < 1) {
      throw new IllegalArgumentException(
          "peerRequestWindow="
              + peerRequestWindow
              + ", peerDataWindow="
              + peerDataWindow
              + ", valid: at least 1");
    }
    if (ackDelayMaxNs < 0 || peerAckDelayMaxNs < 0) {
      throw new IllegalArgumentException(
          "ackDelayMaxNs="
              + ackDelayMaxNs
              + ", peerAckDelayMaxNs="
              + peerAckDelayMaxNs
              + ", valid: at least 0");
    }
  }

  /**
   * Bytes of the largest packet in plain mode: what is held back for the longest trailer is not all
   * used by the checksum.
   */
  public int packetLengthMax() {
    return datagramSizeBytes - Integrity.TRAILER_LENGTH_MAX + Integrity.TRAILER_LENGTH;
  }

  /**
   * Transmissions that a path should remember at the most: twice the packets of both windows, as a
   * power of two.
   */
  public int ringCapacityMax() {
    return Integer.highestOneBit(2 * (requestWindow + dataWindow) - 1) << 1;
  }
}
