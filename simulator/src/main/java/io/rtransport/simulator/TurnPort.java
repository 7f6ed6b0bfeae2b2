package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Verbs of an application above a {@link TurnHost}. Its submissions are queued as a channel queues
 * writes.
 */
final class TurnPort implements SimPort {
  private final TurnHost host;
  private final Connection connection;
  private final SimApplication application;
  private final TurnInbox inbox;
  private final ArrayDeque<PlannedTransaction> queued = new ArrayDeque<>();
  private final ArrayDeque<PlannedTransaction> answers = new ArrayDeque<>();
  private final ByteBuffer header = ByteBuffer.allocate(512);
  private boolean isRefused;

  TurnPort(TurnHost host, Connection connection, SimApplication application, TurnInbox inbox) {
    this.host = host;
    this.connection = connection;
    this.application = application;
    this.inbox = inbox;
  }

  /** Ends a refusal: the core has room again. Until then nothing more is tried. */
  void onRoom() {
    isRefused = false;
  }

  /** Submits the queue, answers first, as far as the core takes it. */
  void submit() {
    if (!connection.isEstablished()) {
      return;
    }
    while (!answers.isEmpty()) {
      PlannedTransaction answer = answers.poll();
      boolean isTaken =
          connection
              .verbs()
              .respond(
                  application.peersRsn(answer),
                  application,
                  SimApplication.handle(answer),
                  answer.lengthBytes);
      if (!isTaken) {
        application.released(answer);
      }
    }
    while (!queued.isEmpty() && !isRefused) {
      isRefused = !submitOne(queued.peek());
      if (!isRefused) {
        queued.poll();
      }
    }
  }

  boolean hasQueued() {
    return !queued.isEmpty() || !answers.isEmpty();
  }

  private boolean submitOne(PlannedTransaction transaction) {
    Workload.header(transaction, header, 0);
    int headerLength = transaction.headerLength;
    return transaction.isPush()
        ? connection
            .verbs()
            .submitPush(
                application,
                SimApplication.handle(transaction),
                transaction.lengthBytes,
                header,
                0,
                headerLength,
                transaction.index)
        : connection
            .verbs()
            .submitPull(transaction.lengthBytesMax, header, 0, headerLength, transaction.index);
  }

  @Override
  public boolean push(PlannedTransaction transaction) {
    queued.add(transaction);
    host.pumpDue();
    return true;
  }

  @Override
  public boolean pull(PlannedTransaction transaction) {
    return push(transaction);
  }

  @Override
  public boolean cancel(long rsn) {
    throw new AssertionError("not part of the comparison");
  }

  @Override
  public void deadline(long rsn, long deadlineNs) {
    throw new AssertionError("not part of the comparison");
  }

  @Override
  public boolean receipt(long rsn) {
    return false; // not part of the comparison
  }

  @Override
  public void acknowledge(long rsn) {
    connection.verbs().acknowledge(rsn);
    host.pumpDue();
  }

  @Override
  public void fail(long rsn, int code, String text) {
    connection.verbs().fail(rsn, code, text);
    host.pumpDue();
  }

  @Override
  public boolean respond(long rsn, PlannedTransaction transaction) {
    answers.add(transaction);
    host.pumpDue();
    return true;
  }

  @Override
  public void ready(PlannedTransaction transaction) {
    throw new AssertionError("sources are always ready here");
  }

  @Override
  public void taken(long rsn, boolean isAnswer, long bytes) {
    throw new AssertionError("bytes are taken when their message is read");
  }

  @Override
  public void retryOpen(long rsn, boolean isAnswer) {
    throw new AssertionError("nothing is put off here");
  }

  @Override
  public void flush(long nowNs) {
    host.flush(nowNs);
  }

  @Override
  public void finish() {
    host.finishing();
  }

  @Override
  public void close(int code, String text, long nowNs) {
    host.closing();
  }

  @Override
  public void abort(int code, String text, long nowNs) {
    throw new AssertionError("not part of the comparison");
  }
}
