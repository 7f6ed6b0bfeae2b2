package io.rtransport.demo.terminal;

import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Progress line on a terminal, redrawn by its own thread: the work, its progress, its rate, its
 * remaining time. The launcher tells by the property {@code rt.terminal} whether stderr is a
 * terminal. If not, there is no line and no thread.
 */
public final class Progress implements AutoCloseable {
  private static final long REDRAW_MILLIS = 100;
  private static final String ERASE_LINE = "\r\u001b[K";

  private final String what;
  private final long totalBytes;
  private final long startNs;
  private final AtomicLong doneBytes = new AtomicLong();
  private final CountDownLatch closed = new CountDownLatch(1);
  private Thread thread;

  Progress(String what, long totalBytes, long startNs) {
    this.what = what;
    this.totalBytes = totalBytes;
    this.startNs = startNs;
  }

  /** Starts a line for {@code totalBytes} bytes on {@code terminal}, which writes to stderr. */
  public static Progress of(PrintWriter terminal, String what, long totalBytes) {
    Progress progress = new Progress(what, totalBytes, System.nanoTime());
    if (Boolean.getBoolean("rt.terminal")) {
      progress.thread = new Thread(() -> progress.draw(terminal), "rt-progress");
      progress.thread.setDaemon(true);
      progress.thread.start();
    }
    return progress;
  }

  /** Counts bytes as done. Any thread. */
  public void add(long bytes) {
    doneBytes.addAndGet(bytes);
  }

  private void draw(PrintWriter terminal) {
    try {
      while (!closed.await(REDRAW_MILLIS, TimeUnit.MILLISECONDS)) {
        terminal.print(ERASE_LINE + line(System.nanoTime()));
        terminal.flush();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    terminal.print(ERASE_LINE);
    terminal.flush();
  }

  /** Returns the line: {@code push 43 % 55.0 MiB of 128.0 MiB 311.2 MB/s 1 s left}. */
  String line(long nowNs) {
    long done = Math.min(doneBytes.get(), totalBytes);
    long elapsedNs = nowNs - startNs;
    StringBuilder line = new StringBuilder(what);
    line.append(' ').append(totalBytes == 0 ? 100 : done * 100 / totalBytes).append(" %  ");
    line.append(Units.bytes(done)).append(" of ").append(Units.bytes(totalBytes));
    line.append("  ").append(Units.rate(done, elapsedNs));
    if (done > 0 && done < totalBytes) {
      long leftSeconds = Math.round((double) elapsedNs / done * (totalBytes - done) / 1e9);
      line.append("  ").append(leftSeconds).append(" s left");
    }
    return line.toString();
  }

  /** Erases the line. */
  @Override
  public void close() {
    closed.countDown();
    try {
      if (thread != null) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
