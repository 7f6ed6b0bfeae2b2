package io.rtransport.demo.store;

import io.rtransport.demo.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A file on its way into the store. Its bytes go to a temporary file, in any order; {@link #commit}
 * gives it its name in one step, after its size and checksum were found right on the disk; {@link
 * #abandon} forgets it. One of the two ends it; the other then does nothing. One thread at a time,
 * but that another may take its place in the store: then its file is closed and gone, and commit
 * fails.
 */
public final class Upload {
  private enum State {
    OPEN,
    COMMITTING,
    DISPLACED,
    ENDED
  }

  private final FileStore store;
  private final HostKey host;
  private final Object connection;
  private final StoreName name;
  private final long sizeBytes;
  private final Path temporary;
  private final FileChannel file;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

  Upload(
      FileStore store,
      HostKey host,
      Object connection,
      StoreName name,
      long sizeBytes,
      Path temporary,
      FileChannel file) {
    this.store = store;
    this.host = host;
    this.connection = connection;
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
   * Compares the checksum of what was written with the sender's, makes it durable and gives it its
   * name, replacing an older file of that name. When this returns, the file survives a crash of the
   * machine: bytes first, then the name, then the directory are forced to the disk. Blocks for the
   * disk.
   *
   * @param written SHA-256 of the bytes as they were written
   * @param sent SHA-256 of the bytes as the sender read them
   * @throws StoreException if the bytes are others than sent, the name is taken by a directory, or
   *     another upload has got its place; the temporary file is gone then
   */
  public void commit(byte[] written, byte[] sent) throws IOException {
    if (!state.compareAndSet(State.OPEN, State.COMMITTING)) {
      if (state.get() == State.DISPLACED) {
        throw new StoreException(ErrorCode.BUSY);
      }
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
    boolean isEnding =
        state.compareAndSet(State.OPEN, State.ENDED)
            || state.compareAndSet(State.COMMITTING, State.ENDED);
    if (isEnding) {
      store.onUploadEnded(this);
      discard();
    }
  }

  /** The host that stores it. */
  HostKey host() {
    return host;
  }

  /** The connection of its host that stores it. */
  Object connection() {
    return connection;
  }

  /**
   * Another is to have its place: whether it was not whole yet, and so has let it go. {@link
   * #discard} follows.
   */
  boolean giveWay() {
    return state.compareAndSet(State.OPEN, State.DISPLACED);
  }

  /** Closes and removes the temporary file. */
  void discard() {
    try {
      file.close();
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      // The next start of a target on this root removes what is left.
      return;
    }
  }
}
