package io.rtransport.netty.internal.loop;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import java.net.InetSocketAddress;

/** One connection as its event loop's {@link LoopDriver} drives it. Loop-confined. */
public interface LoopLink extends LinkTable.Entry {
  Connection connection();

  /**
   * Takes a burst. Nothing reads its packets after this call has returned.
   *
   * @param from the handler above which the burst begins its way up; null means below all handlers
   */
  void receiveBurst(ChannelHandlerContext from, PacketBurst burst);

  /** Tells that its deadline has come. */
  void onTimeout();

  /** Takes the connection's entries and packets, after it was changed. */
  void drive();

  /** Takes all entries of the connection. */
  void drain();

  /** Returns what takes the events of its ports. */
  PortEvents portEvents();

  /** Returns what is written and not yet in a packet, as the water marks count it, bytes. */
  long waitingBytes();

  /** Returns our address of an open path; null if its socket has none any more. */
  InetSocketAddress localAddress(int pathIndex);

  /** Notes that it stands in the queue of due links. Returns false if it already did. */
  boolean enqueue();

  /** Notes that it was taken from that queue. */
  void dequeue();

  /** Does all due work in turn number {@code turn}. Calls into the application. */
  void settle(long turn);
}
