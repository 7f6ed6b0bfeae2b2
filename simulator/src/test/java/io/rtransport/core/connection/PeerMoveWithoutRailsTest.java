package io.rtransport.core.connection;

/** As {@link PeerMoveTest}, between sides that do not say that they know rails. */
class PeerMoveWithoutRailsTest extends PeerMoveTest {
  @Override
  boolean hasRails() {
    return false;
  }
}
