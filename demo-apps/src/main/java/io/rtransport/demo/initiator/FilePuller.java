package io.rtransport.demo.initiator;

import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.protocol.RequestHeader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Pulls one file. It asks for the file's size, and writes a temporary file in the directory of the
 * wanted one. It compares its checksum with the target's, which follows the bytes, and renames it.
 * A failed pull leaves the old file unchanged.
 */
public final class FilePuller {
  private final TargetConnection target;

  public FilePuller(TargetConnection target) {
    this.target = target;
  }

  /** Returns the length of the target's file. To be called first. */
  public FileStat stat(String name) throws IOException {
    return target.stat(name, RequestHeader.SIZE_UNKNOWN);
  }

  /**
   * Pulls the file that {@code stat} described.
   *
   * @param onBytes called with bytes as they are written, on a disk thread
   * @return SHA-256 of the file, as written here and as read there
   * @throws IOException if the bytes differ from those that the target has read, or cannot be
   *     received or written
   */
  public byte[] pull(String name, FileStat stat, Path to, LongConsumer onBytes) throws IOException {
    if (stat.sizeBytes() > RequestHeader.FILE_SIZE_MAX) {
      throw RequestException.of(
          String.format(
              "the target's file has size=%d, valid: 0..%d",
              stat.sizeBytes(), RequestHeader.FILE_SIZE_MAX));
    }
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
      TargetConnection.Sums sums = target.fetch(name, stat.sizeBytes(), file, onBytes);
      if (file.size() != stat.sizeBytes()) {
        throw RequestException.of(
            String.format(
                "the target sent another length than size=%d and a checksum", stat.sizeBytes()));
      }
      byte[] sha256 = sums.written();
      if (!Arrays.equals(sha256, sums.sent())) {
        throw RequestException.of(
            "the bytes pulled have another checksum than those that the target has read");
      }
      Files.move(
          temporary, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      return sha256;
    } finally {
      Files.deleteIfExists(temporary);
    }
  }
}
