package io.rtransport.core.connection;

/** The same between sides that do not know rails. */
class SourcePortWithoutRailsTest extends SourcePortTest {
  @Override
  boolean hasRails() {
    return false;
  }
}
