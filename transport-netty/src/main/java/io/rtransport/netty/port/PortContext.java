package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.rtransport.core.burst.PacketBurst;
import java.util.Map;

/** The event loop of a port, as the port sees it. */
public interface PortContext {
  EventLoop loop();

  ReceiveBuffers receiveBuffers();

  /**
   * Returns the memory of the loop's retransmission store. A packet of a burst whose token is not
   * {@link PacketBurst#TRANSIENT} lies in it at {@link PacketBurst#offset}, and may be sent from
   * there without a copy: see {@link #pin}. The buffer is the loop's; retain a slice to keep it.
   */
  ByteBuf storeBytes();

  /**
   * Keeps the bytes under {@code token} in the store as they are until {@link #unpin}. A port calls
   * it within {@link RtPort#send(PacketBurst, java.net.InetSocketAddress)}, for each packet whose
   * bytes it reads after that call has returned.
   *
   * @param token of the packet ({@link PacketBurst#token}), not {@link PacketBurst#TRANSIENT}
   */
  void pin(int token);

  /** Ends one {@link #pin}. It may come after the connection has ended. */
  void unpin(int token);

  PortListener listener();

  /**
   * Returns whether due timers wait for packets in the sockets. If so, reads must leave nothing
   * behind if they can.
   */
  boolean mustEmptySockets();

  /**
   * Returns the loop's ports that several users share, by the key that they have in common. A port
   * is removed when its socket is gone.
   */
  Map<Object, RtPort> sharedPorts();
}
