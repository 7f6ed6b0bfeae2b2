package io.rtransport.simulator;

import io.rtransport.core.transaction.PushSupplier;
import java.nio.ByteBuffer;

/**
 * Supplier of the small pushes that an application does not submit. The connection takes them from
 * here when a packet has room.
 */
final class SimPushSupplier implements PushSupplier {
  private final SimApplication application;
  private final boolean isUsed;

  /**
   * Creates the supplier.
   *
   * @param isUsed false: all pushes are submitted
   */
  SimPushSupplier(SimApplication application, boolean isUsed) {
    this.application = application;
    this.isUsed = isUsed;
  }

  /**
   * Returns whether {@code own} is supplied here: a small push without a header, complete, not
   * cancelled and without a deadline.
   */
  boolean isFor(PlannedTransaction own) {
    return isUsed
        && own.isPush()
        && own.headerLength == 0
        && own.lengthBytes <= application.port().readyPushLengthMax()
        && own.cancelDelayNs < 0
        && own.deadlineDelayNs < 0
        && own.sourceStepBytes >= own.lengthBytes;
  }

  @Override
  public boolean hasNext() {
    return application.nextDue() != null;
  }

  @Override
  public int nextLengthBytes() {
    PlannedTransaction next = application.nextDue();
    if (next != null && isFor(next)) {
      return next.lengthBytes;
    }
    if (next != null) {
      application.submitInCore();
    }
    return NONE;
  }

  @Override
  public void fill(Packet packet) {
    PlannedTransaction next = application.nextDue();
    while (next != null && isFor(next) && put(next, packet)) {
      next = application.nextDue();
    }
    application.submitSoon();
  }

  private boolean put(PlannedTransaction next, Packet packet) {
    byte[] bytes = new byte[next.lengthBytes + 2];
    Pattern.copy(next.start, 0, ByteBuffer.wrap(bytes), 1, next.lengthBytes);
    long rsn = packet.put(bytes, 1, next.lengthBytes, next.index);
    if (rsn == Packet.FULL) {
      return false;
    }
    application.onReadyTaken(next, rsn);
    return true;
  }
}
