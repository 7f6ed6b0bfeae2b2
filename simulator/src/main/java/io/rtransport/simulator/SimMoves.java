package io.rtransport.simulator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Address of host 0 as host 1 sees it. Host 0 is behind a translator that gives it another port at
 * intervals, and once another address. Datagrams to an old address are lost. {@link AddressGuard}
 * checks what host 1 sends there.
 */
final class SimMoves {
  private final WorldPlan plan;
  private final AddressGuard guard = new AddressGuard();
  private long beganNs = Long.MAX_VALUE;

  SimMoves(WorldPlan plan) {
    this.plan = plan;
    guard.prove(SimAddresses.of(0));
  }

  /** Starts the moves: the connection is established. */
  void begin(long nowNs) {
    beganNs = nowNs;
  }

  /** Returns the address of host 0. */
  InetSocketAddress current(long nowNs) {
    if (plan.moveIntervalNs == Long.MAX_VALUE || nowNs < beganNs) {
      return SimAddresses.of(0);
    }
    int moves = (int) Math.min(plan.moveCount, (nowNs - beganNs) / plan.moveIntervalNs);
    return moves == 0
        ? SimAddresses.of(0)
        : address(new byte[] {127, 0, 0, (byte) (moves < plan.hostMove ? 1 : 9)}, 7_400 + moves);
  }

  /** Returns an address that no host has. */
  static InetSocketAddress forged(int number) {
    return address(new byte[] {10, 9, 9, (byte) number}, 7_400);
  }

  private static InetSocketAddress address(byte[] bytes, int port) {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }

  /** Records a datagram that host 1 reads. */
  void onRead(InetSocketAddress from, WireView view, int length, boolean isDamaged) {
    guard.onRead(from, view, length, isDamaged);
  }

  /** Checks a datagram that host 1 sends. */
  void onSent(InetSocketAddress to, WireView view, int length) {
    guard.onSent(to, view, length);
  }
}
