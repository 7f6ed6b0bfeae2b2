package io.rtransport.core.connection;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Sends packets that belong to no connection: RETRY, ACCEPT, REJECT, RESET. The bytes are borrowed
 * until the call returns.
 */
@FunctionalInterface
public interface StraySender {
  void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to);
}
