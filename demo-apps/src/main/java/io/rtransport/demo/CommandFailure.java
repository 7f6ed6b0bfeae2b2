package io.rtransport.demo;

/**
 * The work of a command failed for a reason that its user can understand: one line on stderr, exit
 * status 1.
 */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandFailure(String message) {
    super(message);
  }
}
