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
 * Pulls one file: asks for its size, writes a temporary file beside the wanted one, compares its
 * checksum with that of what the target has read, which comes behind the bytes, and renames it. A
 * pull that fails leaves what was there before.
 */
public final class FilePuller {
  private final Initiator initiator;

  public FilePuller(Initiator initiator) {
    this.initiator = initiator;
  }

  /** How long the target's file is: ask this first. */
  public FileStat stat(String name) throws IOException {
    return initiator.stat(name, RequestHeader.SIZE_UNKNOWN);
  }

  /**
   * Pulls the file that {@code stat} told of.
   *
   * @param onBytes told of bytes as they are written, on a thread of the disk's
   * @return SHA-256 of the file, as written here and as read there
   * @throws IOException if the bytes are not those that the target has read, or cannot be had or
   *     written
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
      FileSink sink = new FileSink(file, onBytes);
      initiator.fetch(name, stat.sizeBytes(), sink);
      if (file.size() != stat.sizeBytes()) {
        throw RequestException.of(
            String.format(
                "the target sent another length than size=%d and a checksum", stat.sizeBytes()));
      }
      byte[] sha256 = sink.sha256();
      if (!Arrays.equals(sha256, sink.sha256Sent())) {
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
