package io.rtransport.netty.internal.loop;

import io.netty.channel.ChannelHandlerContext;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.Nid;
import io.rtransport.netty.port.RtPort;
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

  /**
   * Tells that the system did not send a datagram by a port of its own. Perhaps inside the send.
   */
  void onSendFailed(RtPort port, InetSocketAddress to, SendFailure failure);

  /**
   * Tells that a port of its own has closed. If the event loop ends and nothing was left to be
   * done, that counts as a normal close.
   */
  void onPortClosed(RtPort port);

  /**
   * Tells that a server channel has given up one of its addresses. If the channel is the one of
   * this connection, the peer is told, and other paths take what was on that address.
   *
   * @param owner the server channel
   * @param ni number of the address
   */
  void onAddressLeft(Object owner, int ni, Nid nid);

  /** Tells that a server channel listens at one more address, likewise. */
  void onAddressJoined(Object owner, int ni, Nid nid);

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
