package io.rtransport.demo.store;

import io.rtransport.demo.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;

/**
 * File that is being stored. Its bytes go to a temporary file, in any order. {@link #commit} gives
 * it its name in one step, after its size and checksum on the disk were found right. {@link
 * #abandon} discards it. The first of the two ends it; the other then does nothing.
 *
 * <p>Used by one thread at a time, with one exception: another upload may take its place in the
 * store. Its file is then closed and removed, and commit fails.
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

  /** Returns the file for the bytes, from 0. */
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
   * Commits the file. It compares the checksum of the written bytes with the sender's, makes the
   * file durable and gives it its name, replacing an older file of that name. After the return, the
   * file survives a crash of the machine: first the bytes, then the name, then the directory are
   * forced to the disk. Blocks for the disk.
   *
   * @param written SHA-256 of the bytes as they were written
   * @param sent SHA-256 of the bytes as the sender read them
   * @throws StoreException if the bytes differ from those sent, the name is taken by a directory,
   *     or another upload has its place; the temporary file is then removed
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

  /** Discards the upload, and its temporary file. */
  public void abandon() {
    boolean isEnding =
        state.compareAndSet(State.OPEN, State.ENDED)
            || state.compareAndSet(State.COMMITTING, State.ENDED);
    if (isEnding) {
      store.onUploadEnded(this);
      discard();
    }
  }

  /** Returns the host that stores it. */
  HostKey host() {
    return host;
  }

  /** Returns the connection of its host that stores it. */
  Object connection() {
    return connection;
  }

  /**
   * Gives its place to another upload. Returns whether it did: it was not yet whole. {@link
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
      // The next start of a target on this root removes the rest.
      return;
    }
  }
}
