package io.rtransport.simulator;

import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;

/** Application above a connection, which receives its entries. */
public interface Application {
  /**
   * Takes the next entry. Its fields and the bytes that it names are valid until the call returns.
   */
  void onEntry(OutboxEntry entry);

  /**
   * Returns the supplier of pushes that are ready without submission. It is always the same object.
   */
  default PushSupplier pushSupplier() {
    return PushSupplier.NEVER;
  }
}
