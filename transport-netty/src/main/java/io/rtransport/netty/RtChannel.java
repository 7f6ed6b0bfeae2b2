package io.rtransport.netty;

import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.AgreedParameters;

/**
 * One RT connection as a Netty channel. {@link RtChannels} makes it, or an {@link RtServerChannel}
 * accepts it. Its handlers {@code rt-wire}, {@code rt-window}, {@code rt-solicitation}, {@code
 * rt-transaction} stand first in the pipeline; the application's handlers come behind them.
 *
 * <p>An application writes {@link io.netty.buffer.ByteBuf}s, {@link Push}es, {@link Pull}s, {@link
 * RtPayload}s and {@link io.netty.channel.FileRegion}s. It reads {@code ByteBuf}s, {@link RtPush}es
 * and {@link RtPullRequest}s.
 *
 * <p>{@link #shutdownOutput} shuts down the <b>output</b>. Data that was flushed still leaves, and
 * so do answers to the peer's pulls. The peer sees the end of its input behind them. The
 * <b>input</b> ends when the peer shuts down its output, or by {@link #shutdownInput}. After {@link
 * #shutdownInput}, everything that the peer has begun and that was not read fails at the peer and
 * was not executed. The same holds for all that the peer begins later.
 *
 * <p>Threads: every method may be called on any thread, as for any Netty channel.
 */
public interface RtChannel extends SocketChannel {
  @Override
  RtChannelConfig config();

  /**
   * Returns the server channel that accepted this channel. Null for a channel that connects, and if
   * the server channel has closed meanwhile.
   */
  @Override
  RtServerChannel parent();

  /** Returns why the connection ended; null while it lives. */
  CloseReason closeReason();

  /** Returns the parameters that both sides agreed on; null before the channel is active. */
  AgreedParameters agreed();

  /**
   * Closes the channel as {@link #close()} does, with a reason that reaches the peer.
   *
   * @param code from {@link CloseCode#APPLICATION_CODE_MIN}
   * @param text for people; at most 256 bytes of UTF-8 arrive
   * @throws IllegalArgumentException if the code is one of RT's own
   */
  ChannelFuture close(int code, String text);

  /**
   * Returns what the channel has counted so far, read on its event loop. The future is done at once
   * if the caller is on the event loop, else after the event loop has read the counts.
   */
  Future<RtChannelStats> stats();
}
