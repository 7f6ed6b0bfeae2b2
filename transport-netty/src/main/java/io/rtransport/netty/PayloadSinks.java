package io.rtransport.netty;

/**
 * Chooses where each inbound push goes: the value of {@link RtChannelOption#PAYLOAD_SINKS}. It is
 * asked once for each push, and again after each {@link RtSink#later}, on the channel's event loop.
 * For a solicited push it is asked before the first grant, so before any of its bytes have been
 * sent.
 */
@FunctionalInterface
public interface PayloadSinks {
  /**
   * @param lengthBytes of the whole message, as announced
   * @param header the application header; it belongs to the caller and must not be changed
   * @return null for a buffer (refused above {@link RtChannelOption#MAX_BUFFERED_MESSAGE}), a sink,
   *     {@link RtSink#refuse}, or {@link RtSink#later}
   */
  RtSink choose(RtChannel channel, long lengthBytes, byte[] header);
}
