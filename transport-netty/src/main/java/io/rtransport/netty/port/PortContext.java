package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.rtransport.core.window.RetransmissionStore;
import java.util.Map;

/** The event loop of a port, as the port sees it. */
public interface PortContext {
  EventLoop loop();

  ReceiveBuffers receiveBuffers();

  /** Returns the retransmission store; its bytes are sent without another copy. */
  @SuppressWarnings("exports") // for the modules that drive the core
  RetransmissionStore store();

  /**
   * Returns the store's memory as a buffer that can be sliced. Indices are the same as in the
   * store.
   */
  ByteBuf storeBytes();

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
