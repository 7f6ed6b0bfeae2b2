package io.rtransport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FileRegion;
import io.rtransport.netty.flight.TransactionFlight;

/** Shows writes to the flight recorder, if it records slow ones. Stateless. */
final class WatchedWrites {
  private WatchedWrites() {}

  /** Shows a write. {@code message} is about to be queued, and is not released yet. */
  static void onWrite(RtChannel channel, Object message, ChannelPromise promise) {
    if (!TransactionFlight.isOn()) {
      return;
    }
    if (message instanceof Push push) {
      watch(channel, "push", push.payload().lengthBytes(), promise);
    } else if (message instanceof Pull pull) {
      watch(channel, "pull", pull.lengthBytesMax(), promise);
    } else if (message instanceof ByteBuf buffer) {
      watch(channel, "message", buffer.readableBytes(), promise);
    } else if (message instanceof RtPayload payload) {
      watch(channel, "message", payload.lengthBytes(), promise);
    } else if (message instanceof FileRegion region) {
      watch(channel, "message", region.count(), promise);
    }
  }

  private static void watch(
      RtChannel channel, String kind, long lengthBytes, ChannelPromise promise) {
    TransactionFlight.watch(channel, kind, lengthBytes, promise, RtException::outcomeOf);
  }
}
