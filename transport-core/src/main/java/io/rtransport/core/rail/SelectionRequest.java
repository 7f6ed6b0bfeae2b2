package io.rtransport.core.rail;

import java.util.List;
import java.util.Objects;

/**
 * What selection has to know of a message. Immutable.
 *
 * <p>LNet Health, "Algorithm Parameters", names eight scenarios by three letters: the source is
 * given (A) or any (B), the destination is local (1) or reached by routes (2), and it is multi-rail
 * (C) or not (D).
 *
 * <p>The document does not say what happens if one network of a peer is local and another is not.
 * Here the caller says it: it asks for the local way first, and if there is none, for the routes.
 *
 * @param source our interface that the message has to leave by; null for any
 * @param destination the peer that the message is for
 * @param isRouted whether the destination is reached by routes
 * @param nextHops the routes; of a local destination only the peer itself
 * @param used pairs that the message was sent by, in their order, as often as it was sent
 * @param wantedPeerNi interface of the next hop that a resend should go to; null for none
 */
public record SelectionRequest(
    NiView source,
    PeerView destination,
    boolean isRouted,
    List<Route> nextHops,
    List<NiPair> used,
    NiView wantedPeerNi) {

  public SelectionRequest {
    nextHops = List.copyOf(nextHops);
    used = List.copyOf(used);
  }

  /** Returns the request for a first attempt to send to a local destination from any interface. */
  public static SelectionRequest to(PeerView destination) {
    List<Route> itself = List.of(new Route(destination, 0, 0));
    return new SelectionRequest(null, destination, false, itself, List.of(), null);
  }

  /** Returns the request for a first attempt to send by routes from any interface. */
  public static SelectionRequest byRoutes(PeerView destination, List<Route> routes) {
    return new SelectionRequest(null, destination, true, routes, List.of(), null);
  }

  /** Returns this request with a given source. */
  public SelectionRequest from(NiView local) {
    Objects.requireNonNull(local, "local");
    return new SelectionRequest(local, destination, isRouted, nextHops, used, wantedPeerNi);
  }

  /** Returns this request for a message that was sent by these pairs before. */
  public SelectionRequest resentAfter(List<NiPair> pairs) {
    return new SelectionRequest(source, destination, isRouted, nextHops, pairs, wantedPeerNi);
  }

  /** Returns this request for a resend that should go to this interface of the next hop. */
  public SelectionRequest wanting(NiView peerNi) {
    return new SelectionRequest(source, destination, isRouted, nextHops, used, peerNi);
  }

  /** Returns whether the message was sent before. */
  boolean isResend() {
    return !used.isEmpty();
  }

  /** Returns the interface of the next hop that a resend went to last. */
  NiView lastPeerNi() {
    return used.get(used.size() - 1).peer();
  }
}
