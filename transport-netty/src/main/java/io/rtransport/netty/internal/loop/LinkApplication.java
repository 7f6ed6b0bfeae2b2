package io.rtransport.netty.internal.loop;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;

/**
 * Takes the entries of connections in place of their channels' queues. The comparison of the
 * simulator uses it: the same application runs over channels and over plain drivers, so everything
 * else must be equal.
 */
public interface LinkApplication {
  PushSupplier pushSupplier();

  /** Takes each entry, in order. */
  void onEntry(Connection connection, OutboxEntry entry);
}
