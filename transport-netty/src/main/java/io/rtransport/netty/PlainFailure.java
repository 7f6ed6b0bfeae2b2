package io.rtransport.netty;

/**
 * The first push of a bare buffer that failed, which ends its channel, for its stream has a hole: until the link takes it, outside the core's
 * calls. Confined to the event loop.
 */
final class PlainFailure {
  private RtException failure;
  private boolean isTold;

  /**
   * @param isToldOtherwise whether it reaches {@code exceptionCaught} by its void promise
   */
  void note(RtException cause, boolean isToldOtherwise) {
    if (failure == null) {
      failure = cause;
      isTold = isToldOtherwise;
    }
  }

  /** Why, once; else null. */
  RtException take() {
    RtException taken = failure;
    failure = null;
    return taken;
  }

  /** Whether the application hears of what was taken last by its void promise. */
  boolean isTold() {
    return isTold;
  }
}
