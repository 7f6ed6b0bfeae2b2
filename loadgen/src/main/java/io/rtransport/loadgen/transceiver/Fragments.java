package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.workload.MessageHeader;

/**
 * Split of a message into datagrams of the raw UDP transport: full ones and a rest, each with room
 * for its own header.
 */
final class Fragments {
  private Fragments() {}

  static int count(int lengthBytes, int mtuBytes) {
    return (lengthBytes + mtuBytes - 1) / mtuBytes;
  }

  /**
   * Returns the length of datagram {@code i}, at least a header. So a short rest counts a few bytes
   * more than the message has.
   */
  static int lengthBytes(int i, int lengthBytes, int mtuBytes) {
    return Math.max(MessageHeader.LENGTH, Math.min(mtuBytes, lengthBytes - i * mtuBytes));
  }
}
