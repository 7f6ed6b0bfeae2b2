package io.rtransport.netty.internal.loop;

import io.netty.channel.EventLoop;

/** A channel that can say, for next to nothing, whether its peer may be gone. */
public interface Doubtful {
  /** Returns the event loop of the channel. Any thread. */
  EventLoop eventLoop();

  /** Returns what {@code RtChannelStats.isInDoubt} says. On the event loop. */
  boolean isInDoubt();
}
