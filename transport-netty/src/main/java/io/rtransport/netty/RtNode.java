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

  /** Blocks of memory, 256 KiB each, that all transfers of files of this JVM may use together. One transfer uses 14 at the most. */
  public static int fileBlocksMax() {
    return FileBlocks.BLOCKS_MAX;
  }

  /** Of these, those in use now: bytes that were read and are not sent, or came and are not written. */
  public static int fileBlocksUsed() {
    return FileBlocks.SHARED.usedCount();
  }

  /**
   * Blocks beside these, that transfers made for themselves because they are short or found none free: one of up to 64 KiB for a file that is
   * sent. A file that is received has up to two of 256 KiB, and up to twelve if it was granted bytes before the shared ones ran out.
   */
  public static int fileBlocksOfTransfers() {
    return FileBlocks.SHARED.ownCount();
  }

  private static NodeBudget budget() {
    return LoopDriver.NODE_BUDGETS.solicitation();
  }
}
