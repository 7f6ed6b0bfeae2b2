package io.rtransport.core.sim;

import static io.rtransport.core.sim.InvariantViolation.require;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Where host 0 is as host 1 sees it: behind a translator that gives it another port every so often, and once another address; what is sent
 * to an old one is lost. It also holds host 1 to what it may send to addresses that have not proved themselves.
 */
final class SimMoves {
  private static final int AMPLIFICATION_MAX = 3;

  private final WorldPlan plan;
  private final Set<InetSocketAddress> proven = new HashSet<>();
  private final Map<InetSocketAddress, long[]> unproven = new HashMap<>();
  private long beganNs = Long.MAX_VALUE;

  SimMoves(WorldPlan plan) {
    this.plan = plan;
    proven.add(SimAddresses.of(0));
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
    if (proven.contains(from)) {
      return;
    }
    if (!isDamaged && view.type() == WireView.PATH_RESPONSE) {
      proven.add(from);
      unproven.remove(from);
    } else {
      unproven.computeIfAbsent(from, a -> new long[2])[0] += length;
    }
  }

  /** Host 1 sends a datagram. */
  void onSent(InetSocketAddress to, WireView view, int length) {
    if (proven.contains(to)) {
      return;
    }
    long[] bytes = unproven.computeIfAbsent(to, a -> new long[2]);
    bytes[1] += length;
    boolean isStrangers =
        switch (view.type()) {
          case WireView.PATH_CHALLENGE,
              WireView.RETRY,
              WireView.ACCEPT,
              WireView.REJECT,
              WireView.RESET ->
              true;
          default -> false;
        };
    require(
        isStrangers && bytes[1] <= AMPLIFICATION_MAX * bytes[0],
        Invariant.UNVALIDATED_ADDRESS,
        "type %d is sent to %s, which is not validated: %d bytes for %d",
        view.type(),
        to,
        bytes[1],
        bytes[0]);
  }
}
