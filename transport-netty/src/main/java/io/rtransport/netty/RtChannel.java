package io.rtransport.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.wire.CloseCode;

/**
 * One RT connection as a Netty channel, as {@link RtChannels} makes it, or an {@link
 * RtServerChannel} accepts it. Its handlers {@code rt-wire}, {@code rt-window}, {@code
 * rt-solicitation}, {@code rt-transaction} stand first in the pipeline; the application's come
 * behind them.
 *
 * <p>Written are {@link io.netty.buffer.ByteBuf}s, {@link Push}es, {@link Pull}s, {@link
 * RtPayload}s and {@link io.netty.channel.FileRegion}s. Read are {@code ByteBuf}s, {@link RtPush}es
 * and {@link RtPullRequest}s.
 *
 * <p>Its <b>output</b> is shut down by {@link #shutdownOutput}: what was flushed still leaves,
 * answers to the peer's pulls too, and the peer sees the end of its input behind them. Its
 * <b>input</b> ends when the peer has done the same, or by {@link #shutdownInput}: then what the
 * peer has begun and was not read, and all that it begins, fails there and was not executed.
 *
 * <p>Threads: as any Netty channel, every method may be called on any thread.
 */
public interface RtChannel extends SocketChannel {
  @Override
  RtChannelConfig config();

  /**
   * The server channel that has accepted it; null for one that connects, and where that has closed
   * meanwhile.
   */
  @Override
  RtServerChannel parent();

  /** Why the connection ended; null while it has not. */
  CloseReason closeReason();

  /** What both sides agreed on; null before the channel is active. */
  AgreedParameters agreed();

  /**
   * Closes as {@link #close()}, with a reason that reaches the peer.
   *
   * @param code from {@link CloseCode#APPLICATION_CODE_MIN}
   * @param text for people, at most 256 bytes of UTF-8 arrive
   * @throws IllegalArgumentException if the code is one of RT's own
   */
  ChannelFuture close(int code, String text);

  /**
   * What the channel has counted so far, read on its event loop: done at once there, and when that
   * has come to it on another thread.
   */
  Future<RtChannelStats> stats();
}
