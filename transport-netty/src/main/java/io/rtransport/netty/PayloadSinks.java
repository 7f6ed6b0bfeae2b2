package io.rtransport.netty;

/**
 * Chooses where each inbound push goes: the value of {@link RtChannelOption#PAYLOAD_SINKS}. Asked once a push on the channel's event loop,
 * for a solicited one before the first grant, so before any of its bytes have been sent.
 */
@FunctionalInterface
public interface PayloadSinks {
  /**
   * @param lengthBytes of the whole message, as announced
   * @param header the application header; the caller's, not to be changed
   * @return null for a buffer (refused above {@link RtChannelOption#MAX_BUFFERED_MESSAGE}), a sink, or {@link RtSink#refuse}
   */
  RtSink choose(RtChannel channel, long lengthBytes, byte[] header);
}
