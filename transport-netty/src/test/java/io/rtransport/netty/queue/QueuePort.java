package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.simulator.PlannedTransaction;
import io.rtransport.simulator.SimApplication;
import io.rtransport.simulator.SimPort;
import io.rtransport.simulator.Workload;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** A simulated application's verbs as posts and answers, and what is polled as its deliveries. */
final class QueuePort implements SimPort {
  private final QueueHost host;
  private final RtQueueConnection connection;
  private final SimApplication application;
  private final Map<Long, PlannedTransaction> own = new HashMap<>();
  private int posts;
  private final Map<Long, Long> deferred = new HashMap<>();
  private RtQueueEntry arriving;
  private long arrivingRsn;
  private boolean isBlocked;

  QueuePort(QueueHost host, RtQueueConnection connection, SimApplication application) {
    this.host = host;
    this.connection = connection;
    this.application = application;
  }

  /** Tries again what was refused: there may be room. */
  void onRoom() {
    if (isBlocked) {
      isBlocked = false;
      OutboxEntry room = new OutboxEntry();
      room.put(OutboxEntry.Kind.ROOM);
      application.onEntry(room);
    }
  }

  // ---- what is polled

  void onMessage(RtQueueEntry entry) {
    begin(entry);
    ByteBuffer bytes = entry.buffer().duplicate();
    bytes.limit(entry.offset() + entry.length()).position(entry.offset());
    application.onWholePush(arrivingRsn, headerOf(entry), bytes.slice());
    arriving = null;
  }

  void onRequest(RtQueueEntry entry) {
    begin(entry);
    application.onWholePullRequest(arrivingRsn, headerOf(entry), entry.limitBytes());
    arriving = null;
  }

  private void begin(RtQueueEntry entry) {
    arriving = entry;
    arrivingRsn = entry.id() & 0xFFFF_FFFFL;
  }

  private static byte[] headerOf(RtQueueEntry entry) {
    byte[] header = new byte[entry.headerLength()];
    entry.buffer().get(entry.headerOffset(), header);
    return header;
  }

  void onEnded(RtQueueEntry entry) {
    PlannedTransaction ended = own.remove(entry.tag());
    if (ended == null) {
      throw new AssertionError("a second end of " + entry.tag());
    }
    if (entry.buffer() != null) {
      application.onWholeAnswer(ended, entry.buffer().duplicate().slice(0, entry.length()));
    }
    if (!entry.isPull()) {
      application.released(ended);
    }
    application.onEnded(ended.index, entry.outcome(), entry.code(), entry.text());
  }

  // ---- own transactions

  private byte[] headerOf(PlannedTransaction transaction) {
    byte[] header = new byte[transaction.headerLength];
    Workload.header(transaction, ByteBuffer.wrap(header), 0);
    return header;
  }

  private ByteBuf payloadOf(PlannedTransaction transaction) {
    int length = transaction.lengthBytes;
    ByteBuf payload = UnpooledByteBufAllocator.DEFAULT.heapBuffer(length, length);
    application.fill(transaction, payload.nioBuffer(0, length));
    return payload.writerIndex(length);
  }

  @Override
  public boolean push(PlannedTransaction transaction) {
    int length = transaction.lengthBytes;
    boolean isCopied = transaction.headerLength == 0 && length <= connection.copyBytesMax();
    ByteBuf payload = payloadOf(transaction);
    byte[] array = payload.array();
    int offset = payload.arrayOffset();
    long tag = transaction.index;
    Duration deadline = deadlineOf(transaction);
    long answer =
        isCopied && deadline == null
            ? connection.submitPush(array, offset, length, tag)
            : isCopied
                ? connection.submitPush(array, offset, length, tag, deadline)
                : deadline == null
                    ? connection.submitPush(headerOf(transaction), payload, tag)
                    : connection.submitPush(headerOf(transaction), payload, tag, deadline);
    if (isCopied || answer < 0) {
      payload.release();
    }
    return isTaken(transaction, answer);
  }

  @Override
  public boolean pull(PlannedTransaction transaction) {
    byte[] header = headerOf(transaction);
    int lengthMax = transaction.lengthBytesMax;
    long tag = transaction.index;
    Duration deadline = deadlineOf(transaction);
    long answer =
        deadline == null
            ? connection.submitPull(header, lengthMax, tag)
            : connection.submitPull(header, lengthMax, tag, deadline);
    return isTaken(transaction, answer);
  }

  /** Returns the deadline to post with, counted from now; null for none. */
  private Duration deadlineOf(PlannedTransaction transaction) {
    host.advance();
    long delayNs = transaction.deadlineDelayNs();
    return delayNs < 0 ? null : Duration.ofNanos(delayNs);
  }

  private boolean isTaken(PlannedTransaction transaction, long answer) {
    if (answer >= 0) {
      if (answer != posts++ || answer != transaction.index) {
        throw new AssertionError(transaction + " is post " + answer);
      }
      own.put((long) transaction.index, transaction);
      return true;
    }
    if (answer == RtQueueConnection.TOO_LONG) {
      throw new AssertionError(transaction + " is too long for its ring");
    }
    isBlocked = true;
    return false;
  }

  /** Gives up a post, also one whose end was polled: then nothing may happen. */
  @Override
  public boolean cancel(PlannedTransaction transaction, long rsn) {
    boolean isUnderWay = own.containsKey((long) transaction.index);
    if (!connection.cancel(transaction.index) && isUnderWay) {
      throw new AssertionError(transaction + " is under way, and cannot be cancelled");
    }
    return isUnderWay;
  }

  @Override
  public void deadline(long rsn, long deadlineNs) {} // it was posted with it

  // ---- answers

  @Override
  public void onUndecided(long rsn) {
    deferred.put(rsn, arriving.defer());
  }

  private long idOf(long rsn) {
    Long id = deferred.remove(rsn);
    return id == null ? arriving.defer() : id;
  }

  @Override
  public void acknowledge(long rsn) {
    if (arriving == null || arrivingRsn != rsn) {
      connection.acknowledge(deferred.remove(rsn));
    }
  }

  @Override
  public void fail(long rsn, int code, String text) {
    connection.fail(idOf(rsn), code, text);
  }

  @Override
  public boolean respond(long rsn, PlannedTransaction transaction) {
    connection.respond(idOf(rsn), payloadOf(transaction));
    application.released(transaction);
    return true;
  }

  // ---- the connection

  @Override
  public void flush(long nowNs) {
    host.run(nowNs);
  }

  @Override
  public void finish() {
    connection.finish();
  }

  @Override
  public void close(int code, String text, long nowNs) {
    connection.close();
    host.run(nowNs);
  }

  @Override
  public void abort(int code, String text, long nowNs) {
    connection.close(code, text);
    host.run(nowNs);
  }

  // ---- what queues do not have

  @Override
  public boolean cancel(long rsn) {
    throw new AssertionError("posts are cancelled by their number");
  }

  @Override
  public boolean receipt(long rsn) {
    return false; // no part of the comparison
  }

  @Override
  public void ready(PlannedTransaction transaction) {
    throw new AssertionError("buffers are always ready");
  }

  @Override
  public void taken(long rsn, boolean isAnswer, long bytes) {
    throw new AssertionError("the queues say what is taken");
  }

  @Override
  public void retryOpen(long rsn, boolean isAnswer) {
    throw new AssertionError("queues put nothing off");
  }
}
