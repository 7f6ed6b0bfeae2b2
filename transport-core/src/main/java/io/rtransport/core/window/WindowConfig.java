package io.rtransport.core.window;

import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.wire.Integrity;

/**
 * Configuration of the window sublayer of one connection: identity, and the parameters that both
 * sides agreed on at set-up.
 *
 * @param localCid this side's connection id, the key of its packets in the CAM
 * @param peerCid the destination of its packets
 * @param peerCookie the peer's cookie, for the clear header
 * @param agreed windows are powers of two in 64..16,384 of this side, and at least 1 of the peer
 */
public record WindowConfig(int localCid, int peerCid, long peerCookie, AgreedParameters agreed) {

  /**
   * Bytes of the largest packet in plain mode: what is held back for the longest trailer is not all
   * used by the checksum.
   */
  public int packetLengthMax() {
    return agreed.both().datagramLengthBytes()
        - Integrity.TRAILER_LENGTH_MAX
        + Integrity.TRAILER_LENGTH;
  }

  /**
   * Limit of the transmissions that a path should remember: twice the packets of both windows, as a
   * power of two.
   */
  public int ringCapacityMax() {
    int packets = agreed.rx().requestWindow() + agreed.rx().dataWindow();
    return Integer.highestOneBit(2 * packets - 1) << 1;
  }
}
