package io.rtransport.core.window;

/**
 * Share of packets that a path lost, of the last ones whose fate is known. They are counted in
 * blocks of {@link #BLOCK_PACKETS}; a path with little traffic ends a block early. A resend that
 * proves needless takes its loss back.
 *
 * <p>Only paths that compete with others are measured, so that a connection with one path does none
 * of this.
 */
final class LossRate {
  /** Packets of a block. */
  static final int BLOCK_PACKETS = 64;

  /** Blocks that are remembered: 256 packets. */
  static final int BLOCKS = 4;

  /** A block also ends after this time, if it has {@link #SHORT_BLOCK_PACKETS}. */
  static final long SHORT_BLOCK_NS = 1_000_000_000;

  static final int SHORT_BLOCK_PACKETS = 8;

  /** Fewer losses in a block are chance. */
  static final int LOST_MIN = 3;

  /** Time after which a block tells nothing any more. */
  static final long AGE_NS = 10_000_000_000L;

  private final int[] lost = new int[BLOCKS];
  private final int[] packets = new int[BLOCKS];
  private final long[] endNs = new long[BLOCKS];
  private int blockCount;
  private int lostNow;
  private int packetsNow;
  private long fromNs;
  private boolean hasBlockEnded;

  /** Counts a packet that arrived. */
  void onArrived(long nowNs) {
    count(0, nowNs);
  }

  /** Counts a packet that was judged lost. */
  void onLost(long nowNs) {
    count(1, nowNs);
  }

  private void count(int losses, long nowNs) {
    fromNs = packetsNow == 0 ? nowNs : fromNs;
    packetsNow++;
    lostNow += losses;
    boolean isLong = packetsNow >= SHORT_BLOCK_PACKETS && nowNs - fromNs >= SHORT_BLOCK_NS;
    if (packetsNow < BLOCK_PACKETS && !isLong) {
      return;
    }
    int slot = blockCount++ % BLOCKS;
    lost[slot] = lostNow;
    packets[slot] = packetsNow;
    endNs[slot] = nowNs;
    packetsNow = 0;
    lostNow = 0;
    hasBlockEnded = true;
  }

  /** Returns whether a block has ended since the last call. */
  boolean takeBlockEnd() {
    boolean hasEnded = hasBlockEnded;
    hasBlockEnded = false;
    return hasEnded;
  }

  /** Takes a loss back: its packet had arrived, and was acknowledged late. */
  void onNeedless() {
    lostNow = Math.max(0, lostNow - 1);
  }

  /** Returns whether the last block lost more than {@code percent} of its packets. */
  boolean isLastAbove(long percent, long nowNs) {
    int slot = Math.floorMod(blockCount - 1, BLOCKS);
    return blockCount > 0
        && nowNs - endNs[slot] < AGE_NS
        && isAbove(lost[slot], packets[slot], percent);
  }

  /** Returns whether the blocks of the last {@link #AGE_NS} together lost more than that. */
  boolean isAbove(long percent, long nowNs) {
    int lostSum = 0;
    int packetSum = 0;
    for (int i = 0; i < Math.min(blockCount, BLOCKS); i++) {
      if (nowNs - endNs[i] < AGE_NS) {
        lostSum += lost[i];
        packetSum += packets[i];
      }
    }
    return isAbove(lostSum, packetSum, percent);
  }

  private static boolean isAbove(int lost, int of, long percent) {
    return lost >= LOST_MIN && 100L * lost > percent * of;
  }
}
