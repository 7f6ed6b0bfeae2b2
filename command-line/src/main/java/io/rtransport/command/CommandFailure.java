package io.rtransport.command;

/**
 * Failure of a command's work for a reason that its user can understand: one line on stderr, exit
 * status 1.
 */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure with its reason, in one line. */
  public CommandFailure(String message) {
    super(message);
  }
}
