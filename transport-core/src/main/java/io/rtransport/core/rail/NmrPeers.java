package io.rtransport.core.rail;

import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Keeps our interface the same towards each peer that is not multi-rail (NMR): the peer knows us by
 * the interface that we send from. Source: LNet Health, scenarios "A1D", "A2D", "B1D" and "B2D".
 *
 * <p>The first interface that a message to an NMR peer leaves by is its <b>preferred local NI</b>.
 * Another one is preferred only when that one is removed, has failed, or reaches the peer no more.
 * Without a preferred one the best is taken, healthy or not; "B1D" says nothing for the case that
 * none is healthy.
 *
 * <p>Where the document is open:
 *
 * <ul>
 *   <li>"B2D" looks the preferred local NI up for the destination and stores it for the router.
 *       Here both is done for whichever is NMR, for the destination if both are: it is the
 *       destination that knows us by our interface. A router that is NMR makes a message one of
 *       scenario D, as "Algorithm Parameters" says of the next hop.
 *   <li>A source that the caller gives ("A1D", "A2D") goes before the preferred local NI, and takes
 *       its place only if there is none.
 *   <li>"B1D" tries an unhealthy peer NI at the first attempt. One that has failed is never tried,
 *       as "Callback Mechanism" says.
 *   <li>"B1D" fails if the preferred local NI is unhealthy. It names no attempt, so by the letter
 *       the first one fails too. One that has failed hard is not healthy.
 *   <li>"A2D" resends to the same peer NI of the router. That is done by the letter only. By
 *       default another one may be taken: the destination does not see through which router we
 *       came.
 * </ul>
 */
final class NmrPeers {
  private final Map<NiView, NiView> preferred = new IdentityHashMap<>();

  /** Returns the interface of the NMR peer that a candidate leads to; null if there is none. */
  private static NiView nmrNi(SelectionRequest request, Candidate candidate) {
    PeerView destination = request.destination();
    PeerView peer = destination.isMultiRail() ? candidate.hop().router() : destination;
    return peer.isMultiRail() || peer.nis().isEmpty() ? null : peer.nis().get(0);
  }

  /** Returns the preferred local NI if it has not failed; null for none. */
  private NiView usablePreferred(NiView nmrNi) {
    NiView local = preferred.get(nmrNi);
    return local == null || local.isFailed() ? null : local;
  }

  private static boolean isSamePeerNiWanted(SelectionRequest request, RailHealthConfig config) {
    boolean isNmr = !request.destination().isMultiRail();
    return config.isLetter() && isNmr && request.isResend();
  }

  /** Returns the candidates that keep what an NMR peer knows of us; all if none does. */
  Candidates keep(SelectionRequest request, Candidates usable, RailHealthConfig config) {
    Candidates kept = usable;
    if (isSamePeerNiWanted(request, config)) {
      kept = kept.preferring(candidate -> candidate.peer() == request.lastPeerNi());
    }
    return kept.preferring(candidate -> isKept(request, candidate));
  }

  private boolean isKept(SelectionRequest request, Candidate candidate) {
    NiView local = usablePreferred(nmrNi(request, candidate));
    return local == null || local == candidate.local();
  }

  /** Returns why a message is not sent by this candidate; null if it is sent. */
  NoPairReason refusal(SelectionRequest request, Candidate chosen, RailHealthConfig config) {
    if (isSamePeerNiWanted(request, config) && request.lastPeerNi().isFailed()) {
      return NoPairReason.PEER_NI_FAILED;
    }
    NiView nmrNi = nmrNi(request, chosen);
    boolean isRetried = config.get(HealthParameter.NMR_UNHEALTHY_USED) == 1;
    if (nmrNi == null || request.source() != null || isRetried) {
      return null;
    }
    if (request.isResend() && !config.isHealthy(chosen.peer().health())) {
      return NoPairReason.PEER_NI_UNHEALTHY;
    }
    NiView local = preferred.get(nmrNi);
    if (local != null && local.isFailed()) {
      return NoPairReason.LOCAL_NI_DOWN;
    }
    boolean isHealthy = local == null || config.isHealthy(local.health());
    return isHealthy ? null : NoPairReason.LOCAL_NI_UNHEALTHY;
  }

  /** Handles a choice: it sets the preferred local NI. */
  void onSelected(SelectionRequest request, Candidate chosen) {
    NiView nmrNi = nmrNi(request, chosen);
    if (nmrNi != null && (request.source() == null || usablePreferred(nmrNi) == null)) {
      preferred.put(nmrNi, chosen.local());
    }
  }

  /** Forgets an interface, ours or a peer's. */
  void onRemoved(NiView ni) {
    preferred.remove(ni);
    preferred.values().removeIf(local -> local == ni);
  }
}
