package io.rtransport.netty.trace;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes a trace to a file on its own thread. A loop that is faster than the disk is not held up.
 * Lines that find no place are left out, and a line {@code {"event":"omitted","lines":n}} at the
 * end counts them.
 */
public final class TraceFile implements TraceOutput, AutoCloseable {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(TraceFile.class);
  private static final int WAITING_MAX = 65_536;

  private final BlockingQueue<String> waiting;
  private final String end = new String("end"); // compared by identity: no line is this one
  private final AtomicLong omitted = new AtomicLong();
  private final BufferedWriter out;
  private final Thread writer;
  private boolean isFailed;

  /** Begins {@code file}, and replaces an older one. */
  public TraceFile(Path file) throws IOException {
    this(file, WAITING_MAX);
  }

  TraceFile(Path file, int waitingMax) throws IOException {
    waiting = new ArrayBlockingQueue<>(waitingMax);
    out = Files.newBufferedWriter(file);
    writer = new Thread(this::write, "rt-trace");
    writer.setDaemon(true);
    writer.start();
  }

  @Override
  public void accept(String line) {
    if (!waiting.offer(line)) {
      omitted.incrementAndGet();
    }
  }

  private void write() {
    try {
      for (String line = waiting.take(); line != end; line = waiting.take()) {
        writeLine(line);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void writeLine(String line) {
    if (isFailed) {
      return; // logged once
    }
    try {
      out.write(line);
      out.write('\n');
    } catch (IOException e) {
      isFailed = true;
      LOGGER.warn("the trace ends here: it can not be written", e);
    }
  }

  /**
   * Writes the waiting lines, and closes the file. Not on an event loop. Lines that come later are
   * lost.
   */
  @Override
  public void close() {
    try {
      waiting.put(end);
      writer.join();
      if (omitted.get() > 0) {
        writeLine("{\"event\":\"omitted\",\"lines\":" + omitted + "}");
      }
      out.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
