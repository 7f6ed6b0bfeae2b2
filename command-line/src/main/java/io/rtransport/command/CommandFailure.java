package io.rtransport.command;

/**
 * The work of a command failed for a reason that its user can understand: one line on stderr, exit
 * status 1.
 */
public final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The reason, in one line. */
  public CommandFailure(String message) {
    super(message);
  }
}
