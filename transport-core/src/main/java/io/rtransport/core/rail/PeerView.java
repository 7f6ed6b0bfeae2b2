package io.rtransport.core.rail;

import java.util.List;

/** What selection asks about a peer or a router. */
public interface PeerView {
  /** Returns its interfaces. The first is the only one that is used if the peer has one rail. */
  List<? extends NiView> nis();

  /**
   * Returns whether it is multi-rail. A peer that is not knows us by the interface that we send
   * from, so that has to stay the same. Such a peer has at least one interface.
   */
  boolean isMultiRail();
}
