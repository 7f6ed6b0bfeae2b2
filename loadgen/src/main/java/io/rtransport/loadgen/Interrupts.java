package io.rtransport.loadgen;

import io.rtransport.command.Interruption;
import java.time.Duration;

/**
 * Who may end a run early: the user by an interrupt, and the parent process that asked for the run
 * ({@code RT_LOAD_PARENT=1}) by closing its standard input.
 */
final class Interrupts {
  /** A drain, an answer of the server and a report fit in. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private Interrupts() {}

  /** From now on, until it is released, an interrupt runs {@code stop}. */
  static Interruption end(Runnable stop) {
    Interruption interruption = Interruption.ofProcess(GRACE);
    interruption.onRequest(stop);
    if ("1".equals(System.getenv("RT_LOAD_PARENT"))) {
      interruption.requestAtEndOfInput();
    }
    return interruption;
  }
}
