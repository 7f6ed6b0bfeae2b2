package io.rtransport.simulator;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * Where host 0 is as host 1 sees it: behind a translator that gives it another port every so often,
 * and once another address; what is sent to an old one is lost. {@link AddressGuard} holds host 1
 * to what it may send there.
 */
final class SimMoves {
  private final WorldPlan plan;
  private final AddressGuard guard = new AddressGuard();
  private long beganNs = Long.MAX_VALUE;

  SimMoves(WorldPlan plan) {
    this.plan = plan;
    guard.prove(SimAddresses.of(0));
  }

  /** The moves begin: the connection is set up. */
  void begin(long nowNs) {
    beganNs = nowNs;
  }

  /** The address of host 0. */
  InetSocketAddress current(long nowNs) {
    if (plan.moveIntervalNs == Long.MAX_VALUE || nowNs < beganNs) {
      return SimAddresses.of(0);
    }
    int moves = (int) Math.min(plan.moveCount, (nowNs - beganNs) / plan.moveIntervalNs);
    return moves == 0
        ? SimAddresses.of(0)
        : address(new byte[] {127, 0, 0, (byte) (moves < plan.hostMove ? 1 : 9)}, 7_400 + moves);
  }

  /** An address at which nobody is. */
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

  /** Host 1 reads a datagram. */
  void onRead(InetSocketAddress from, WireView view, int length, boolean isDamaged) {
    guard.onRead(from, view, length, isDamaged);
  }

  /** Host 1 sends a datagram. */
  void onSent(InetSocketAddress to, WireView view, int length) {
    guard.onSent(to, view, length);
  }
}
