package io.rtransport.netty.internal.loop;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;

/**
 * Takes the entries of a connection in place of its channel's queues. Completion queues are one
 * ({@code io.rtransport.netty.queue}). Another is that of the simulator's comparison: the same
 * application runs over channels and over plain drivers, so everything else must be equal.
 * Loop-confined.
 */
public interface LinkApplication {
  PushSupplier pushSupplier();

  /** Takes each entry, in order. */
  void onEntry(Connection connection, OutboxEntry entry);

  /** Takes note that entries and packets of the connection were taken: its paths may differ. */
  default void onDriven() {}

  /** Ends a turn in which the connection had something due. */
  default void settle() {}
}
