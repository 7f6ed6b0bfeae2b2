package io.rtransport.netty.internal.loop;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;

/**
 * Takes what connections have to say in the place of their channels' queues. The simulator's
 * comparison stands there: the same application over channels as over plain drivers, so that all
 * else must be equal.
 */
public interface LinkApplication {
  PushSupplier pushSupplier();

  /** Every entry, in order. */
  void onEntry(Connection connection, OutboxEntry entry);
}
