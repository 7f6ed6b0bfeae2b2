package io.rtransport.core.solicitation;

/** A path without congestion, whose round trip is always the same. */
record SteadyPath(long srttNs) implements PathView {
  @Override
  public boolean isCongested() {
    return false;
  }
}
