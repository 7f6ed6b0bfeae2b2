package io.rtransport.netty.internal.loop;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.wire.PacketBurst;

/** One connection as its event loop's {@link LoopDriver} drives it. Loop-confined. */
public interface LoopLink extends LinkTable.Entry {
  Connection connection();

  /**
   * A burst comes in, of which nothing is read any more when this returns.
   *
   * @param from the handler above which it begins its way up; null: below all of them
   */
  void receiveBurst(ChannelHandlerContext from, PacketBurst burst);

  /** Its deadline has come. */
  void onTimeout();

  /** Takes what the connection has to say and to send, after it was changed. */
  void drive();

  /** Takes all that the connection has to say. */
  void drain();

  /** Perhaps inside a call of the core, whose send it was that failed. */
  void onUnreachable();

  /** Where the event loop ends, and nothing was left to be done, that is a close like another. */
  void onPortClosed();

  /** It stands in the queue of what is due; false if it did already. */
  boolean enqueue();

  /** It is taken from there. */
  void dequeue();

  /** Does all that is due in turn number {@code turn}. Calls into the application. */
  void settle(long turn);
}
