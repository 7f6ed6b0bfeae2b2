package io.rtransport.loadgen.rig;

/** A run failed for a reason that its user can understand: one line on stderr, exit status 1. */
public final class LoadFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reason, in one line. */
  public LoadFailure(String message) {
    super(message);
  }
}
