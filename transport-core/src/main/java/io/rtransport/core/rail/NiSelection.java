package io.rtransport.core.rail;

import java.util.ArrayList;
import java.util.List;

/**
 * Selects the pair of interfaces that a message of the node takes to its next hop. Belongs to one
 * loop. No I/O, no clock, no randomness: the same calls give the same choices.
 *
 * <p>Source: LNet Health, "Selection Algorithm with Health", with its eight scenarios ({@link
 * SelectionRequest}). They are one procedure here:
 *
 * <ol>
 *   <li>Our interfaces are the given source (A), or all (B). A source that is absent or has failed
 *       ends the selection.
 *   <li>The next hop is the peer (1), or a router of the routes (2). The candidates are the pairs
 *       of one network of which neither end has failed ({@link Candidates}).
 *   <li>A peer that is not multi-rail (D) restricts them ({@link NmrPeers}).
 *   <li>A resend that wants one peer NI is restricted to it, if that one is healthy.
 *   <li>The best of the rest is selected ({@link PairOrder}).
 * </ol>
 *
 * <p>"Healthy" means as good as {@link RailHealthConfig#HEALTH_MAX}; see {@link
 * RailHealthConfig#isHealthy}. An unhealthy interface is selected if no healthier one can be.
 *
 * <p>The document contradicts itself about our interface after a failure at the peer: "B1C" takes
 * another one, "Remote Interface Failure" gives the old one as the source. The caller decides by
 * giving a source or none. "B1C" also looks for the wanted peer NI only after our interface is
 * selected. Here, as in "Old: Implementation Specifics", the wanted one restricts our interfaces.
 */
public final class NiSelection {
  private final List<NiView> locals = new ArrayList<>();
  private final Turns turns = new Turns();
  private final NmrPeers nmrPeers = new NmrPeers();
  private RailHealthConfig config;

  public NiSelection(RailHealthConfig config) {
    this.config = config;
  }

  /** Sets the configuration that holds from the next selection on. */
  public void config(RailHealthConfig changed) {
    config = changed;
  }

  /** Adds an interface of ours. */
  public void onLocalNiAdded(NiView local) {
    locals.add(local);
  }

  /** Forgets an interface that was removed, ours or a peer's. It has to be told of each. */
  public void onNiRemoved(NiView ni) {
    locals.removeIf(local -> local == ni);
    turns.onRemoved(ni);
    nmrPeers.onRemoved(ni);
  }

  /** Returns the pair that a message takes, or why there is none. A pair is counted as used. */
  public NiChoice select(SelectionRequest request) {
    List<NiView> from = locals.stream().filter(ni -> isAllowed(ni, request.source())).toList();
    if (from.isEmpty()) {
      return NiChoice.none(NoPairReason.NO_LOCAL_NI);
    }
    if (from.stream().allMatch(NiView::isFailed)) {
      return NiChoice.none(NoPairReason.LOCAL_NI_DOWN);
    }
    Candidates usable = Candidates.of(from, request.nextHops(), turns);
    if (usable.isEmpty()) {
      return NiChoice.none(whyNone(from, request));
    }
    Candidates kept = wanted(request, nmrPeers.keep(request, usable, config));
    Candidate best = new PairOrder(config, turns, new Uses(request.used())).best(kept);
    NoPairReason refusal = nmrPeers.refusal(request, best, config);
    if (refusal != null) {
      return NiChoice.none(refusal);
    }
    turns.onSelected(best.pair());
    nmrPeers.onSelected(request, best);
    return NiChoice.of(best);
  }

  private static boolean isAllowed(NiView local, NiView source) {
    return source == null || source == local;
  }

  private Candidates wanted(SelectionRequest request, Candidates kept) {
    NiView wanted = request.wantedPeerNi();
    boolean isHonoured = wanted != null && request.isResend() && config.isHealthy(wanted.health());
    return isHonoured ? kept.preferring(candidate -> candidate.peer() == wanted) : kept;
  }

  /** Returns why no pair can be used, although one of {@code from} has not failed. */
  private static NoPairReason whyNone(List<NiView> from, SelectionRequest request) {
    if (request.isRouted()) {
      return NoPairReason.NO_ROUTE;
    }
    List<String> networks =
        NextHop.addressable(request.destination()).stream().map(NiView::network).toList();
    List<NiView> facing = from.stream().filter(ni -> networks.contains(ni.network())).toList();
    if (facing.isEmpty()) {
      return NoPairReason.NO_COMMON_NETWORK;
    }
    return facing.stream().allMatch(NiView::isFailed)
        ? NoPairReason.LOCAL_NI_DOWN
        : NoPairReason.PEER_NI_FAILED;
  }
}
