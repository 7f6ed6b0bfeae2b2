package io.rtransport.demo.initiator;

import io.rtransport.core.transaction.Outcome;
import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.store.Checksum;
import io.rtransport.demo.transfer.FilePayload;
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
 * Pushes files, a few at a time. Each is first read for its checksum; then the target is asked whether it has the file already, with equal
 * size and checksum: so a push that was cut off is finished by doing it again. Files are skipped whole, not resumed in the middle. Every file
 * gets exactly one {@link PushedFile}, whatever happens to the connection.
 */
public final class FilePusher {
  private static final int THREADS_MAX = 4;

  private final Initiator initiator;
  private final List<Path> files;
  private final LongConsumer onBytes;
  private final PushedFile[] ends;
  private final AtomicInteger next = new AtomicInteger();
  private final CountDownLatch running;

  /** {@code onBytes} hears of bytes that need no more work, from several threads. */
  public FilePusher(Initiator initiator, List<Path> files, LongConsumer onBytes) {
    this.initiator = initiator;
    this.files = List.copyOf(files);
    this.onBytes = onBytes;
    this.ends = new PushedFile[files.size()];
    this.running = new CountDownLatch(Math.min(THREADS_MAX, files.size()));
  }

  /** Pushes; returns the end of every file, in their order. Once. */
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
      if (!initiator.isOpen()) {
        return new PushedFile(
            name,
            path,
            sizeBytes,
            null,
            PushedFile.End.FAILED,
            "not sent: the connection had ended",
            0);
      }
      sha256 = Checksum.sha256(file, sizeBytes);
      boolean isPresent = isPresent(name, sizeBytes, sha256);
      if (isPresent) {
        onBytes.accept(sizeBytes);
      } else {
        isSent = true;
        store(name, path, sizeBytes, sha256);
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

  private boolean isPresent(String name, long sizeBytes, byte[] sha256) throws IOException {
    try {
      FileStat stat = initiator.stat(name, sizeBytes);
      return stat.sizeBytes() == sizeBytes && Arrays.equals(stat.sha256(), sha256);
    } catch (RequestException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.NOT_A_FILE) {
        return false; // The push itself says what is wrong with the name, if anything is.
      }
      throw e;
    }
  }

  private void store(String name, Path path, long sizeBytes, byte[] sha256) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ);
    initiator.store(name, sha256, new FilePayload(file, sizeBytes, onBytes, () -> {}));
  }
}
