package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.ConnectionConfig;
import java.net.InetSocketAddress;

/** A listening endpoint's application side. Called on the endpoint's loop. */
public interface Acceptor {
  /**
   * The configuration for a connection from {@code from}, or null to refuse it (the peer gets a
   * REJECT).
   */
  ConnectionConfig configFor(InetSocketAddress from);

  /**
   * A peer that has proved its address and its will: give the connection its wire and application
   * by {@link ConnectionDriver#attach}. Its entry ESTABLISHED follows at once.
   *
   * @return false to end the connection again
   */
  boolean accept(Connection connection, InetSocketAddress from);
}
