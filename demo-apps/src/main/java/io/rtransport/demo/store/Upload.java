package io.rtransport.demo.store;

import io.rtransport.demo.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A file on its way into the store. Its bytes go to a temporary file, in any order; {@link #commit} gives it its name in one step, after its
 * size and checksum were found right on the disk; {@link #abandon} forgets it. One of the two ends it; the other then does nothing. One
 * thread at a time.
 */
public final class Upload {
  private final FileStore store;
  private final StoreName name;
  private final long sizeBytes;
  private final Path temporary;
  private final FileChannel file;
  private boolean isEnded;

  Upload(FileStore store, StoreName name, long sizeBytes, Path temporary, FileChannel file) {
    this.store = store;
    this.name = name;
    this.sizeBytes = sizeBytes;
    this.temporary = temporary;
    this.file = file;
  }

  /** Where the bytes go, from 0. */
  public FileChannel file() {
    return file;
  }

  public StoreName name() {
    return name;
  }

  public long sizeBytes() {
    return sizeBytes;
  }

  /**
   * Compares the checksum of what was written with the sender's, makes it durable and gives it its name, replacing an older file of that name. When this returns, the file
   * survives a crash of the machine: bytes first, then the name, then the directory are forced to the disk. Blocks for the disk.
   *
   * @param written SHA-256 of the bytes as they were written
   * @param sent SHA-256 of the bytes as the sender read them
   * @throws StoreException if the bytes are others than sent, or the name is taken by a directory; the temporary file is gone then
   */
  public void commit(byte[] written, byte[] sent) throws IOException {
    if (isEnded) {
      return;
    }
    try {
      if (file.size() != sizeBytes || !Arrays.equals(written, sent)) {
        throw new StoreException(ErrorCode.CHECKSUM);
      }
      file.force(true);
      store.publish(temporary, name);
    } finally {
      abandon();
    }
  }

  /** Forgets it, and its temporary file. */
  public void abandon() {
    if (isEnded) {
      return;
    }
    isEnded = true;
    store.onUploadEnded();
    try {
      file.close();
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      // The next start of a target on this root removes what is left.
      return;
    }
  }
}
