package io.rtransport.netty.queue;

import java.util.ArrayList;
import java.util.List;

/** Table of {@link OwnTransaction}s by their slot, which the core names. Loop-confined. */
final class OwnTransactions {
  private final List<OwnTransaction> slots = new ArrayList<>();
  private final List<OwnTransaction> free = new ArrayList<>();

  OwnTransaction take() {
    OwnTransaction taken;
    if (free.isEmpty()) {
      taken = new OwnTransaction(slots.size());
      slots.add(taken);
    } else {
      taken = free.remove(free.size() - 1);
    }
    taken.isOver = false;
    taken.isPull = false;
    return taken;
  }

  OwnTransaction at(long slot) {
    return slots.get((int) slot);
  }

  void give(OwnTransaction ended) {
    free.add(ended);
  }

  /** Releases a payload that the core reads no more. */
  static void release(OwnTransaction own) {
    own.payload.release();
    own.payload = null;
  }
}
