package io.rtransport.netty;

import io.netty.channel.EventLoopGroup;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.solicitation.NodeBudget;
import io.rtransport.netty.internal.file.FileBlocks;
import io.rtransport.netty.internal.loop.Nodes;

/**
 * State that all RT channels of this JVM share, or all channels of one event loop group.
 * Thread-safe.
 */
public final class RtNode {
  private static final long BUDGET_BYTES_MAX = 1L << 40;

  private RtNode() {}

  /**
   * Returns the ROCE_ACCL register of the node that the event loops of {@code group} form. Channels
   * without a {@link RtChannelOption#PROFILE} take their profile from it, connecting and accepted
   * ones alike. A set of the register holds for connections made after it. The register lives as
   * long as the group.
   *
   * @param group a group that channels run on, or one event loop of it
   */
  public static NodeRegister register(EventLoopGroup group) {
    return Nodes.registerOf(group.next());
  }

  /**
   * Returns the solicitation budget in bytes, 64 MiB at first. The budget bounds the bytes of large
   * messages that all channels together have asked their peers for and the application has not yet
   * taken. A message that is kept whole until it is read may have half of the budget, if {@link
   * RtChannelOption#MAX_BUFFERED_MESSAGE} allows it, and a longer one is refused. A message that
   * goes to an {@link RtSink} needs only the bytes that are granted ahead.
   */
  public static long solicitationBudgetBytes() {
    return budget().capacityBytes();
  }

  /**
   * Raises the solicitation budget, for existing channels too. It cannot be lowered: the peers
   * already send the bytes that were asked for.
   *
   * @param bytes 1 to 1 TiB; less than the present budget changes nothing
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void raiseSolicitationBudget(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException(
          "solicitationBudget=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    budget().raise(bytes);
  }

  /**
   * Returns the credit pool in bytes, 64 MiB at first. All channels together may take this much
   * credit beyond each channel's {@link RtChannelOption#INITIAL_CREDIT}. Credit is what a peer may
   * push unasked. One channel may have up to {@link RtChannelOption#IN_FLIGHT_MAX} of the pool on a
   * long path, and 2 MiB on a short one.
   */
  public static long creditPoolBytes() {
    return Nodes.BUDGETS.credit().capacityBytes();
  }

  /**
   * Raises the credit pool, for existing channels too. It cannot be lowered: a peer that was told
   * of credit may use it.
   *
   * @param bytes 1 to 1 TiB; less than the present pool changes nothing
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void raiseCreditPool(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException("creditPool=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    Nodes.BUDGETS.credit().raise(bytes);
  }

  /**
   * Returns the bytes of the store of an event loop, 32 MiB by default. The store keeps the packets
   * of all the loop's channels that are not acknowledged. It is direct memory, allocated whole with
   * the loop's first channel. One channel may hold as many bytes as are free beyond the reserve of
   * the others, so half of the store if it is alone.
   */
  public static int storeBytes() {
    return Nodes.storeBytes();
  }

  /**
   * Sets the size of the store for event loops that have had no RT channel yet. Call it before the
   * first bind or connect.
   *
   * @param bytes 2 MiB to 1 GiB; rounded down to whole blocks of 64 KiB
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void storeBytes(int bytes) {
    if (bytes < LoopResources.STORE_BYTES_MIN || bytes > LoopResources.STORE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "storeBytes="
              + bytes
              + " must be "
              + LoopResources.STORE_BYTES_MIN
              + ".."
              + LoopResources.STORE_BYTES_MAX);
    }
    Nodes.storeBytes(bytes);
  }

  /**
   * Returns the number of memory blocks that all file transfers of this JVM may use together. A
   * block has 256 KiB. One transfer uses at most 14 blocks.
   */
  public static int fileBlocksMax() {
    return FileBlocks.BLOCKS_MAX;
  }

  /**
   * Returns how many of the {@link #fileBlocksMax} blocks are in use now. Their bytes were read and
   * not yet sent, or received and not yet written.
   */
  public static int fileBlocksUsed() {
    return FileBlocks.SHARED.usedCount();
  }

  /**
   * Returns the number of blocks that transfers made for themselves, beside the shared ones. A
   * transfer makes its own block if it is short or finds no shared block free. A file that is sent
   * has one of up to 64 KiB. A file that is received has up to two of 256 KiB, and up to twelve if
   * bytes were granted to it before the shared blocks ran out.
   */
  public static int fileBlocksOfTransfers() {
    return FileBlocks.SHARED.ownCount();
  }

  /**
   * Returns the health of the interfaces that connections over several networks use: what it is
   * now, and the knobs. All channels of this JVM share it.
   */
  public static RailHealth railHealth() {
    return Nodes.RAIL_HEALTH;
  }

  private static NodeBudget budget() {
    return Nodes.BUDGETS.solicitation();
  }
}
