package io.rtransport.netty.internal.loop;

/** A channel that can say, for next to nothing, whether its peer may be gone. */
public interface Doubtful {
  /** Returns what {@code RtChannelStats.isInDoubt} says. On the event loop. */
  boolean isInDoubt();
}
