package io.rtransport.core.window;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.wire.Integrity;

/**
 * Configuration of one connection's window sublayer: identity, and the parameters agreed at set-up.
 *
 * @param localCid this side's connection id, the key of its packets in the CAM
 * @param peerCid the destination CID of its packets
 * @param peerCookie the peer's cookie, for the clear header
 * @param agreed this side's windows are powers of two in 64..16,384; the peer's are at least 1
 */
public record WindowConfig(int localCid, int peerCid, long peerCookie, AgreedParameters agreed) {

  /**
   * Returns the bytes of the largest packet in plain mode. The checksum does not use all of the
   * space reserved for the longest trailer.
   */
  public int packetLengthMax() {
    return agreed.both().datagramLengthBytes()
        - Integrity.TRAILER_LENGTH_MAX
        + Integrity.TRAILER_LENGTH;
  }

  /**
   * Returns the most transmissions that a path should remember: twice the packets of both windows,
   * rounded up to a power of two.
   */
  public int ringCapacityMax() {
    int packets = agreed.rx().requestWindow() + agreed.rx().dataWindow();
    return Integer.highestOneBit(2 * packets - 1) << 1;
  }
}
