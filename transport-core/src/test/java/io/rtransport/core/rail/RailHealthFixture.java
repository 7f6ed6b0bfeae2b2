package io.rtransport.core.rail;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Random;

/** Health of a process, with names and pairs of interfaces to try it on. */
abstract class RailHealthFixture {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;
  static final long NOW = -5 * SECOND; // a clock may be negative

  final RailHealth rail = new RailHealth(new Random(1));

  static InetAddress address(int last) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  /** Opens a pair of our interface {@code local} and the peer's {@code peer}. */
  final PairHealth pair(int local, int peer) {
    return pair(local, peer, peer);
  }

  final PairHealth pair(int local, int peer, long peerId) {
    return PairHealth.open(
        rail, "blue", address(local), new InetSocketAddress(address(peer), 7_400), peerId);
  }

  final NiReport report(String name) {
    return rail.reports().stream().filter(ni -> ni.name().equals(name)).findFirst().orElseThrow();
  }

  final int local(int last) {
    return report("10.0.0." + last + "@blue").health();
  }

  final int peer(int last) {
    return report("10.0.0." + last + ":7400@blue").health();
  }

  final void letter() {
    rail.config(RailHealthConfig.hld());
  }
}
