package io.rtransport.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDriver;

/**
 * Ends a connection by a defect of our code: this connection alone, and once. Confined to the event
 * loop.
 *
 * <ul>
 *   <li>The first defect is logged as an error and told to this side's application. The connection
 *       is aborted, and its peer told why.
 *   <li>A later defect follows from the first. It is logged for debugging.
 *   <li>A second defect in the settlement ends connection and channel in separate parts. A failure
 *       of one part does not stop the others.
 *   <li>A turn in which the link is due again and again is cut off. That is a defect, and ends the
 *       connection as the line above says.
 * </ul>
 */
final class LinkDefects {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LinkDefects.class);

  private final PipelineLink link;
  private final LoopDriver driver;
  private final Connection connection;
  private final LinkClosing closing;
  private Throwable untold;
  private boolean isAny;
  private boolean isForgetDue;
  private long settledTurn;
  private int settlesInTurn;

  LinkDefects(PipelineLink link, LoopDriver driver, Connection connection, LinkClosing closing) {
    this.link = link;
    this.driver = driver;
    this.connection = connection;
    this.closing = closing;
  }

  /** Returns whether the connection ends by a defect. */
  boolean isAny() {
    return isAny;
  }

  /** Takes a defect, found anywhere in our code. */
  void on(Throwable cause) {
    if (isAny) {
      LOGGER.debug("{}: another defect", connection, cause);
    } else {
      isAny = true;
      LOGGER.error("{} ends by a defect", connection, cause);
      untold = cause;
    }
    if (link.isForgotten()) {
      return;
    }
    if (connection.isEnded()) {
      isForgetDue = true; // perhaps the defect stopped the repetition of its last packets
      driver.due(link);
    } else {
      closing.abort(CloseCode.INTERNAL_ERROR, CloseCode.INTERNAL_ERROR.sentence());
    }
  }

  /**
   * Takes an exception that cut off the link's settlement. After a second one there is no further
   * settlement.
   */
  void onThrown(Throwable cause) {
    boolean isSecond = isAny;
    on(cause);
    if (isSecond) {
      breakOff();
    }
  }

  /**
   * Returns whether the link may be settled in turn number {@code turn}. The count is limited, see
   * {@link LoopDriver#SETTLES_PER_TURN_MAX}.
   */
  boolean maySettle(long turn) {
    settlesInTurn = settledTurn == turn ? settlesInTurn + 1 : 1;
    settledTurn = turn;
    if (settlesInTurn == LoopDriver.SETTLES_PER_TURN_MAX + 1) {
      cutOff();
      return false;
    }
    // The end may take the same number once more; beyond that the turn goes on without the link.
    return settlesInTurn <= 2 * LoopDriver.SETTLES_PER_TURN_MAX;
  }

  private void cutOff() {
    driver.counters().increment(CounterId.TURNS_CUT_OFF);
    on(
        new IllegalStateException(
            "settled " + settlesInTurn + " times in one turn, valid: less than that"));
    breakOff();
  }

  /** Returns the first defect, once, for this side's application; null if there is none. */
  Throwable takeUntold() {
    Throwable taken = untold;
    untold = null;
    return taken;
  }

  /** Returns whether the rest of the connection must be ended now. */
  boolean takeEndDue() {
    boolean isDue = isForgetDue || isAny && !connection.isEnded();
    isForgetDue = false;
    return isDue;
  }

  /**
   * Ends the connection and the channel, and does nothing else. A failure of one part does not stop
   * the others.
   */
  private void breakOff() {
    link.dropDue();
    untold = null;
    attempt(link::endByDefect);
    attempt(() -> closing.tellEndOr(CloseReason.of(CloseCode.INTERNAL_ERROR)));
    attempt(link::runCompletions);
  }

  private void attempt(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | Error e) {
      LOGGER.debug("{}: and again", connection, e);
    }
  }
}
