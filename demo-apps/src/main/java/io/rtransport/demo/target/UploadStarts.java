package io.rtransport.demo.target;

import io.rtransport.demo.protocol.ErrorCode;
import io.rtransport.demo.store.FileStore;
import io.rtransport.demo.store.StoreException;
import io.rtransport.demo.store.StoreName;
import io.rtransport.demo.store.Upload;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtSink;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Starting uploads of one connection. Their files are created outside the event loop, while their
 * pushes are put off. A push that is asked for again takes the upload begun for its request. An
 * upload that is not taken within one second is discarded, because its push was given up. Confined
 * to the connection's event loop.
 */
final class UploadStarts {
  static final long UNTAKEN_SECONDS_MAX = 1;

  private final FileStore store;
  private final Executor executor;
  private final Executor cleaner;

  /** Starts by the request's header. Two pushes of one request may take each other's. */
  private final Map<ByteBuffer, ArrayDeque<Start>> started = new HashMap<>();

  private boolean isClosed;

  /**
   * Creates the starts of a connection.
   *
   * @param executor bounded; refuses by {@link RejectedExecutionException}
   * @param cleaner abandons uploads: no more of them exist than the store has places
   */
  UploadStarts(FileStore store, Executor executor, Executor cleaner) {
    this.store = store;
    this.executor = executor;
    this.cleaner = cleaner;
  }

  /** An upload, or the reason why there is none. */
  private static final class Start {
    Upload upload;
    StoreException refusal;
    Future<?> timeout;
  }

  /**
   * Returns the upload that was begun for a request; null if there is none: then {@link #begin} it.
   *
   * @throws StoreException if it could not begin
   */
  Upload take(byte[] header) throws StoreException {
    ArrayDeque<Start> starts = started.get(ByteBuffer.wrap(header));
    if (starts == null) {
      return null;
    }
    Start start = starts.peek();
    remove(header, start);
    start.timeout.cancel(false);
    if (start.refusal != null) {
      throw start.refusal;
    }
    return start.upload;
  }

  /**
   * Begins an upload. Its push is asked for again when that is done.
   *
   * @throws StoreException if there is too much to do
   */
  RtSink begin(RtChannel channel, StoreName name, long sizeBytes, byte[] header)
      throws StoreException {
    RtSink.Later later = RtSink.later();
    InetAddress address = channel.remoteAddress().getAddress(); // the peer's present address
    try {
      executor.execute(() -> start(channel, address, name, sizeBytes, header, later));
    } catch (RejectedExecutionException e) {
      throw new StoreException(ErrorCode.BUSY);
    }
    return later;
  }

  /** Creates the upload, on the executor. */
  private void start(
      RtChannel channel,
      InetAddress address,
      StoreName name,
      long sizeBytes,
      byte[] header,
      RtSink.Later later) {
    Start start = new Start();
    try {
      start.upload = store.begin(address, this, name, sizeBytes);
    } catch (IOException | RuntimeException e) {
      start.refusal = StoreException.of(e);
    } catch (Error e) { // the push must not wait for ever
      start.refusal = new StoreException(ErrorCode.IO);
    }
    try {
      channel.eventLoop().execute(() -> onStarted(channel, header, start, later));
    } catch (RejectedExecutionException e) { // the target ends
      abandon(start);
    }
  }

  private void onStarted(RtChannel channel, byte[] header, Start start, RtSink.Later later) {
    if (isClosed) {
      forget(start);
      return;
    }
    started.computeIfAbsent(ByteBuffer.wrap(header), key -> new ArrayDeque<>()).add(start);
    start.timeout =
        channel
            .eventLoop()
            .schedule(
                () -> {
                  remove(header, start);
                  forget(start);
                },
                UNTAKEN_SECONDS_MAX,
                TimeUnit.SECONDS);
    later.askAgain();
  }

  private void remove(byte[] header, Start start) {
    ByteBuffer key = ByteBuffer.wrap(header);
    ArrayDeque<Start> starts = started.get(key);
    starts.remove(start);
    if (starts.isEmpty()) {
      started.remove(key);
    }
  }

  private void forget(Start start) {
    if (start.upload != null) {
      forget(start.upload);
    }
  }

  /** Abandons an upload, outside the event loop if possible. */
  void forget(Upload upload) {
    try {
      cleaner.execute(upload::abandon);
    } catch (RejectedExecutionException e) { // the target ends
      upload.abandon();
    }
  }

  private static void abandon(Start start) {
    if (start.upload != null) {
      start.upload.abandon();
    }
  }

  /** Discards all starts: the connection has ended. */
  void close() {
    isClosed = true;
    for (ArrayDeque<Start> starts : started.values()) {
      for (Start start : starts) {
        start.timeout.cancel(false);
        forget(start);
      }
    }
    started.clear();
  }
}
