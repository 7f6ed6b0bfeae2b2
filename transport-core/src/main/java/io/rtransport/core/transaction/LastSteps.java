package io.rtransport.core.transaction;

import org.agrona.LangUtil;

/**
 * The steps by which a connection's transactions end: each is taken, whatever one before it has
 * thrown, for a payload's source may throw as it is released. The first that was thrown is thrown
 * again when all are done.
 */
final class LastSteps {
  private Throwable thrown;

  void take(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      thrown = thrown == null ? e : thrown;
    }
  }

  /** All are done. */
  void end() {
    if (thrown != null) {
      LangUtil.rethrowUnchecked(thrown);
    }
  }
}
