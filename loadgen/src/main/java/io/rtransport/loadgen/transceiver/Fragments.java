package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.workload.MessageHeader;

/**
 * How the raw UDP transport cuts messages into datagrams: full ones and a rest, each with room for
 * its own header.
 */
final class Fragments {
  private Fragments() {}

  static int count(int lengthBytes, int mtuBytes) {
    return (lengthBytes + mtuBytes - 1) / mtuBytes;
  }

  /**
   * Length of datagram {@code i}: at least a header, so a short rest counts a few bytes more than
   * the message has.
   */
  static int lengthBytes(int i, int lengthBytes, int mtuBytes) {
    return Math.max(MessageHeader.LENGTH, Math.min(mtuBytes, lengthBytes - i * mtuBytes));
  }
}
