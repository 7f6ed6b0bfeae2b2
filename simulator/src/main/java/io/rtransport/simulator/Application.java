package io.rtransport.simulator;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;

/** What stands above a connection, and reads what that has to say. */
public interface Application {
  /** The next entry: its fields and the bytes that it names stay until the call returns. */
  void onEntry(OutboxEntry entry);

  /** What it has ready without submitting it: always the same. */
  default PushSupplier pushSupplier() {
    return PushSupplier.NEVER;
  }
}
