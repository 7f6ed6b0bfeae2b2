package io.rtransport.netty;

import io.netty.channel.Channel;

/** A channel's own side, for tests of what its users cannot see. */
final class ChannelInternals {
  private ChannelInternals() {}

  static DefaultRtChannel inside(Channel channel) {
    return (DefaultRtChannel) channel;
  }
}
