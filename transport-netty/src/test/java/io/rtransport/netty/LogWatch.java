package io.rtransport.netty;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Takes what RT and Netty log from WARNING on, as long as it is open, and keeps it off the console.
 * Netty logs by java.util.logging where no other library is found, as in the tests of this module.
 */
final class LogWatch extends Handler implements AutoCloseable {
  /** Records that are kept; all are counted. */
  private static final int KEPT_MAX = 200;

  private final List<Logger> loggers =
      List.of(Logger.getLogger("io.rtransport"), Logger.getLogger("io.netty"));

  private final AtomicLong count = new AtomicLong();
  private final AtomicLong defects = new AtomicLong();
  private final Queue<LogRecord> kept = new ConcurrentLinkedQueue<>();

  LogWatch() {
    setLevel(Level.WARNING);
    for (Logger logger : loggers) {
      logger.setUseParentHandlers(false);
      logger.addHandler(this);
    }
  }

  @Override
  public void publish(LogRecord log) {
    if (log.getLevel().intValue() >= Level.WARNING.intValue()) {
      defects.addAndGet(log.getMessage().contains("ends by a defect") ? 1 : 0);
      if (count.incrementAndGet() <= KEPT_MAX) {
        kept.add(log);
      }
    }
  }

  /** Records so far. */
  long count() {
    return count.get();
  }

  /** Those that say of a connection that it ends by a defect. */
  long defects() {
    return defects.get();
  }

  /** The first records, each with its exception. */
  String first() {
    StringBuilder text = new StringBuilder();
    for (LogRecord log : kept) {
      text.append('\n').append(log.getMessage()).append(" <- ").append(log.getThrown());
    }
    return text.toString();
  }

  @Override
  public void flush() {}

  @Override
  public void close() {
    for (Logger logger : loggers) {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }
}
