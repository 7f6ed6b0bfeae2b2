package io.rtransport.netty.port;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.rtransport.core.window.RetransmissionStore;
import java.util.Map;

/** What a port needs of the event loop that it belongs to. */
public interface PortContext {
  EventLoop loop();

  ReceiveBuffers receiveBuffers();

  /** The retransmission store, whose bytes are sent without another copy. */
  @SuppressWarnings("exports") // for the modules that drive the core
  RetransmissionStore store();

  /** The store's memory, index for index, as a buffer that slices can be taken of. */
  ByteBuf storeBytes();

  PortListener listener();

  /**
   * Whether timers that are due wait for what lies in the sockets, so that reads are to leave
   * nothing behind if they can.
   */
  boolean mustEmptySockets();

  /**
   * The loop's ports that several users share, by what makes them do so. A port leaves it when its
   * socket is gone.
   */
  Map<Object, RtPort> sharedPorts();
}
