package io.rtransport.demo.initiator;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.store.Checksum;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.Stream;

/**
 * Pushes files, a few at a time. It first asks the target whether it has a file of the same name
 * and size. If so, it compares the checksums, and does not send an equal file. So a second push
 * completes one that was cut off. Files are skipped whole, not resumed in the middle.
 *
 * <p>A file is read once. Its checksum is computed meanwhile and sent after the bytes. Every file
 * gets exactly one {@link PushedFile}, whatever happens to the connection.
 */
public final class FilePusher {
  private static final int THREADS_MAX = 4;

  private final TargetConnection target;
  private final List<Path> files;
  private final LongConsumer onBytes;
  private final PushedFile[] ends;
  private final AtomicInteger next = new AtomicInteger();
  private final CountDownLatch running;

  /**
   * Creates a push. {@code onBytes} is called with bytes that need no more work, by several
   * threads.
   */
  public FilePusher(TargetConnection target, List<Path> files, LongConsumer onBytes) {
    this.target = target;
    this.files = List.copyOf(files);
    this.onBytes = onBytes;
    this.ends = new PushedFile[files.size()];
    this.running = new CountDownLatch(Math.min(THREADS_MAX, files.size()));
  }

  /** Pushes the files. Returns the end of every file, in their order. To be called once. */
  public List<PushedFile> push() throws InterruptedException {
    for (long i = running.getCount(); i > 0; i--) {
      Thread thread = new Thread(this::run, "rt-push-" + i);
      thread.setDaemon(true);
      thread.start();
    }
    running.await();
    return Stream.of(ends).toList();
  }

  private void run() {
    try {
      for (int i = next.getAndIncrement(); i < files.size(); i = next.getAndIncrement()) {
        ends[i] = push(files.get(i));
      }
    } finally {
      running.countDown();
    }
  }

  private PushedFile push(Path path) {
    long startNs = System.nanoTime();
    String name = path.getFileName().toString();
    long sizeBytes = 0;
    byte[] sha256 = null;
    boolean isSent = false;
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      sizeBytes = file.size();
      if (!target.isOpen()) {
        return new PushedFile(
            name,
            path,
            sizeBytes,
            null,
            PushedFile.End.FAILED,
            "not sent: the connection had ended",
            0);
      }
      byte[] known = knownSum(name, sizeBytes);
      boolean isPresent = known != null && Arrays.equals(known, Checksum.sha256(file, sizeBytes));
      if (isPresent) {
        sha256 = known;
        onBytes.accept(sizeBytes);
      } else {
        isSent = true;
        sha256 = store(name, path, sizeBytes);
      }
      PushedFile.End end = isPresent ? PushedFile.End.PRESENT : PushedFile.End.STORED;
      return new PushedFile(name, path, sizeBytes, sha256, end, null, System.nanoTime() - startNs);
    } catch (RequestException e) {
      PushedFile.End end =
          isSent && e.outcome() == Outcome.UNKNOWN ? PushedFile.End.UNKNOWN : PushedFile.End.FAILED;
      return new PushedFile(
          name, path, sizeBytes, sha256, end, e.getMessage(), System.nanoTime() - startNs);
    } catch (IOException | RuntimeException e) {
      return new PushedFile(
          name,
          path,
          sizeBytes,
          sha256,
          PushedFile.End.FAILED,
          "cannot be read: " + e.getMessage(),
          System.nanoTime() - startNs);
    }
  }

  /** Returns the checksum of the target's file, or null if it has none of that name and size. */
  private byte[] knownSum(String name, long sizeBytes) throws IOException {
    try {
      FileStat stat = target.stat(name, sizeBytes);
      return stat.sizeBytes() == sizeBytes ? stat.sha256() : null;
    } catch (RequestException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.NOT_A_FILE) {
        return null; // The push itself reports a wrong name.
      }
      throw e;
    }
  }

  private byte[] store(String name, Path path, long sizeBytes) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    return target.store(name, file, sizeBytes, onBytes);
  }
}
