package io.rtransport.loadgen;

import io.rtransport.command.Interruption;
import java.time.Duration;

/**
 * Early end of a run: by the user's interrupt, or by the parent process that asked for the run
 * ({@code RT_LOAD_PARENT=1}), which closes its standard input.
 */
final class Interrupts {
  /** Time for a drain, an answer of the server and a report. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private Interrupts() {}

  /** Lets an interrupt run {@code stop} from now on, until it is released. */
  static Interruption end(Runnable stop) {
    Interruption interruption = Interruption.ofProcess(GRACE);
    interruption.onRequest(stop);
    if ("1".equals(System.getenv("RT_LOAD_PARENT"))) {
      interruption.requestAtEndOfInput();
    }
    return interruption;
  }
}
