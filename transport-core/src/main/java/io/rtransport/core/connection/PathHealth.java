package io.rtransport.core.connection;

import io.rtransport.core.outcome.SendFailure;
import io.rtransport.core.rail.LocalNi;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.PairHealth;
import io.rtransport.core.rail.RailHealth;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * What the node's rail health is told of the pairs of one connection: of its paths, and of pairs
 * that became none. Made anew for each call, so that no connection keeps it.
 *
 * @param rail health of the node's interfaces
 * @param own what this side knows of its interfaces
 * @param peer tells peers apart, whatever their addresses
 */
record PathHealth(RailHealth rail, OwnPairs own, long peer) {

  /** Takes the health of the interfaces at both ends of an open path. */
  void watch(OpenPaths paths, int index) {
    OpenPath path = paths.path(index);
    paths.health(index, of(path.ni(), path.remote()));
  }

  private PairHealth of(int ni, InetSocketAddress remote) {
    LocalNi ours = own.localNi(ni);
    boolean isNamed = ours.address() != null;
    InetAddress local = isNamed ? ours.address().getAddress() : null;
    if (local == null) {
      local = own.localAddress(ni);
    }
    return PairHealth.open(rail, isNamed ? ours.network() : "", local, remote, peer);
  }

  /** Notes what happened to a pair that is no path. */
  void onSetUpError(Pair pair, NiError error, long nowNs) {
    PairHealth health = of(pair.ni(), pair.remote());
    if (!health.isOursFailed()) { // else it says nothing of the peer
      health.onError(error, nowNs);
    }
    health.close();
  }

  /**
   * Notes why the system did not send packets of a path, if that is about the peer's interface.
   * Returns whether it is.
   */
  static boolean onSendFailed(PairHealth health, SendFailure failure) {
    switch (failure) {
      case NO_LISTENER -> health.onReported(NiError.PEER_NI_NO_LISTENER);
      case NO_WAY -> health.onReported(NiError.PEER_NI_UNREACHABLE);
      case REFUSED -> {
        return false;
      }
    }
    return true;
  }
}
