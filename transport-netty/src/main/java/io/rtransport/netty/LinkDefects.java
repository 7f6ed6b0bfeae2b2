package io.rtransport.netty;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.netty.internal.loop.LoopDriver;

/**
 * How defects end a connection, alone and once. Confined to the event loop.
 *
 * <pre>
 *   the first one logged as an error, told to this side's application; the connection is aborted,
 *   its peer told why
 *   one behind it            logged for debugging: it follows from the first
 *   one of its settlement the connection and its channel are ended, each part of that whatever
 *   becomes of the others
 *   settled for ever a turn in which the link is due again and again is cut off: a defect, and the
 *   end as above
 * </pre>
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

  /** Whether the connection ends by a defect. */
  boolean isAny() {
    return isAny;
  }

  /** We erred, wherever that was noticed. */
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
      isForgetDue = true; // perhaps what would have repeated its last words
      driver.due(link);
    } else {
      closing.abort(CloseCode.INTERNAL_ERROR, CloseCode.INTERNAL_ERROR.sentence());
    }
  }

  /**
   * The link's settlement was cut off by {@code cause}: a second time it does not get another one.
   */
  void onThrown(Throwable cause) {
    boolean isSecond = isAny;
    on(cause);
    if (isSecond) {
      breakOff();
    }
  }

  /**
   * Whether the link may be settled in turn number {@code turn}: not for ever, see {@link
   * LoopDriver#SETTLES_PER_TURN_MAX}.
   */
  boolean maySettle(long turn) {
    settlesInTurn = settledTurn == turn ? settlesInTurn + 1 : 1;
    settledTurn = turn;
    if (settlesInTurn == LoopDriver.SETTLES_PER_TURN_MAX + 1) {
      cutOff();
      return false;
    }
    // As often again its end may take; beyond that the turn goes on without it.
    return settlesInTurn <= 2 * LoopDriver.SETTLES_PER_TURN_MAX;
  }

  private void cutOff() {
    driver.counters().increment(CounterId.TURNS_CUT_OFF);
    on(
        new IllegalStateException(
            "settled " + settlesInTurn + " times in one turn, valid: less than that"));
    breakOff();
  }

  /** The first defect, once: for this side's application. Null if there is none. */
  Throwable takeUntold() {
    Throwable taken = untold;
    untold = null;
    return taken;
  }

  /** Whether what is left of the connection is to be ended now. */
  boolean takeEndDue() {
    boolean isDue = isForgetDue || isAny && !connection.isEnded();
    isForgetDue = false;
    return isDue;
  }

  /**
   * Does only what ends the connection and the channel, each part whatever becomes of the others.
   */
  private void breakOff() {
    link.dropDue();
    untold = null;
    attempt(link::endByDefect);
    attempt(() -> link.tellEndOr(CloseReason.of(CloseCode.INTERNAL_ERROR)));
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
