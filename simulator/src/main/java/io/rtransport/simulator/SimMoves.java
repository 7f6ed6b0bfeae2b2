package io.rtransport.simulator;

import java.net.InetSocketAddress;

/**
 * Address of host 0 as host 1 sees it. Host 0 is behind a translator that gives it another port at
 * intervals, and once another address. Datagrams to an old address are lost.
 */
final class SimMoves {
  private static final int PORT = 7_400;
  private static final int OTHER_HOST = 9;

  private final WorldPlan plan;
  private long beganNs = Long.MAX_VALUE;

  SimMoves(WorldPlan plan) {
    this.plan = plan;
  }

  /** Returns whether host 0 will ever move. */
  boolean isMoving() {
    return plan.moveIntervalNs != Long.MAX_VALUE;
  }

  /** Starts the moves: the connection is established. */
  void begin(long nowNs) {
    beganNs = nowNs;
  }

  /** Returns the address of host 0. */
  InetSocketAddress current(long nowNs) {
    if (!isMoving() || nowNs < beganNs) {
      return SimAddresses.of(0);
    }
    int moves = (int) Math.min(plan.moveCount, (nowNs - beganNs) / plan.moveIntervalNs);
    int last = moves < plan.hostMove ? 1 : OTHER_HOST;
    return moves == 0 ? SimAddresses.of(0) : SimAddresses.address(PORT + moves, 127, 0, 0, last);
  }
}
