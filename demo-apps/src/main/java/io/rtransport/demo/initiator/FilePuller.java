package io.rtransport.demo.initiator;

import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.protocol.RequestHeader;
import io.rtransport.demo.transfer.FileSink;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Pulls one file: asks for size and checksum, writes a temporary file beside the wanted one, checks it, and renames it. A pull that fails
 * leaves what was there before.
 */
public final class FilePuller {
  private final Initiator initiator;

  public FilePuller(Initiator initiator) {
    this.initiator = initiator;
  }

  /** What the target has: ask this first. Reads the whole file there. */
  public FileStat stat(String name) throws IOException {
    return initiator.stat(name, RequestHeader.SIZE_ANY);
  }

  /**
   * Pulls the file that {@code stat} told of.
   *
   * @param onBytes told of bytes as they are written, on a thread of the disk's
   * @throws IOException if the bytes are not those of {@code stat}, or cannot be had or written
   */
  public void pull(String name, FileStat stat, Path to, LongConsumer onBytes) throws IOException {
    Path directory = to.toAbsolutePath().getParent();
    Path temporary =
        directory.resolve(
            ".rt-pull-" + ProcessHandle.current().pid() + "-" + System.nanoTime() + ".part");
    try (FileChannel file =
        FileChannel.open(
            temporary,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      FileSink sink = new FileSink(file, onBytes);
      initiator.fetch(name, stat.sizeBytes(), sink);
      if (file.size() != stat.sizeBytes() || !Arrays.equals(sink.sha256(), stat.sha256())) {
        throw RequestException.of(
            "the bytes pulled have another checksum than the target said; the file may have changed meanwhile");
      }
      Files.move(
          temporary, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
