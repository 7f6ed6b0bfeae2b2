package io.rtransport.netty;

import io.netty.channel.EventLoopGroup;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.solicitation.NodeBudget;
import io.rtransport.netty.internal.file.FileBlocks;
import io.rtransport.netty.internal.loop.Nodes;

/** What all RT channels of this JVM share, or all of an event loop group. Thread-safe. */
public final class RtNode {
  private static final long BUDGET_BYTES_MAX = 1L << 40;

  private RtNode() {}

  /**
   * The ROCE_ACCL register of the node that the event loops of {@code group} are: what channels
   * take that are not given a {@link RtChannelOption#PROFILE}, those that connect as those that are
   * accepted. A set holds for connections made after it. The register lives as long as the group.
   *
   * @param group that channels run on, or one event loop of it
   */
  public static NodeRegister register(EventLoopGroup group) {
    return Nodes.registerOf(group.next());
  }

  /**
   * The solicitation budget: how many bytes of large messages all channels together have asked
   * their peers for and not yet had taken, 64 MiB at first. A message that is kept whole until it
   * is read may have half of it, if {@link RtChannelOption#MAX_BUFFERED_MESSAGE} allows that, and
   * is refused if it is longer; one that goes to an {@link RtSink} needs no more than is granted
   * ahead.
   */
  public static long solicitationBudgetBytes() {
    return budget().capacityBytes();
  }

  /**
   * Raises that, for channels that exist too. It cannot be lowered: what was asked for is on its
   * way.
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

  /**
   * The credit pool: how many bytes beyond each channel's {@link RtChannelOption#INITIAL_CREDIT}
   * all channels together may let their peers push unasked, 64 MiB at first. One channel may have
   * up to {@link RtChannelOption#IN_FLIGHT_MAX} of it on a long path, and 2 MiB on a short one.
   */
  public static long creditPoolBytes() {
    return Nodes.BUDGETS.credit().capacityBytes();
  }

  /**
   * Raises that, for channels that exist too. It cannot be lowered: a peer that was told of credit
   * may use it.
   *
   * @param bytes 1 to 1 TiB; less than the present pool changes nothing
   * @throws IllegalArgumentException when outside that
   */
  public static void raiseCreditPool(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException("creditPool=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    Nodes.BUDGETS.credit().raise(bytes);
  }

  /**
   * Memory in which an event loop keeps the packets that are not acknowledged, of all its channels,
   * 32 MiB by default: direct, and taken whole with the loop's first channel. One channel may have
   * what is free but for what is kept for others, half of it if it is alone.
   */
  public static int storeBytes() {
    return Nodes.storeBytes();
  }

  /**
   * Sets that for event loops that have had no RT channel yet: call it before the first bind or
   * connect.
   *
   * @param bytes 2 MiB to 1 GiB; rounded down to whole blocks of 64 KiB
   * @throws IllegalArgumentException when outside that
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
   * Blocks of memory, 256 KiB each, that all transfers of files of this JVM may use together. One
   * transfer uses 14 at the most.
   */
  public static int fileBlocksMax() {
    return FileBlocks.BLOCKS_MAX;
  }

  /**
   * Of these, those in use now: bytes that were read and are not sent, or came and are not written.
   */
  public static int fileBlocksUsed() {
    return FileBlocks.SHARED.usedCount();
  }

  /**
   * Blocks beside these, that transfers made for themselves because they are short or found none
   * free: one of up to 64 KiB for a file that is sent. A file that is received has up to two of 256
   * KiB, and up to twelve if it was granted bytes before the shared ones ran out.
   */
  public static int fileBlocksOfTransfers() {
    return FileBlocks.SHARED.ownCount();
  }

  private static NodeBudget budget() {
    return Nodes.BUDGETS.solicitation();
  }
}
