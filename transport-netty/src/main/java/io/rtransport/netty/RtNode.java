package io.rtransport.netty;

import io.rtransport.core.solicitation.NodeBudget;

/** What all RT channels of this JVM share. Thread-safe. */
public final class RtNode {
  private static final long BUDGET_BYTES_MAX = 1L << 40;

  private RtNode() {}

  /**
   * The solicitation budget: how many bytes of large messages all channels together have asked their peers for and not yet had taken, 64 MiB at
   * first. A message that is kept whole until it is read may have half of it, if {@link RtChannelOption#MAX_BUFFERED_MESSAGE} allows that, and is
   * refused if it is longer; one that goes to an {@link RtSink} needs no more than is granted ahead.
   */
  public static long solicitationBudgetBytes() {
    return budget().capacityBytes();
  }

  /**
   * Raises that, for channels that exist too. It cannot be lowered: what was asked for is on its way.
   *
   * @param bytes 1 to 1 TiB; less than the present budget changes nothing
   * @throws IllegalArgumentException when outside that
   */
  public static void raiseSolicitationBudget(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException(
          "solicitationBudget=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    budget().raise(bytes);
  }

  private static NodeBudget budget() {
    return LoopDriver.NODE_BUDGETS.solicitation();
  }
}
