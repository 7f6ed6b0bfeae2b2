package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.CloseCode;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;

/** Verbs of an application on a core connection. */
final class DirectPort implements SimPort {
  private final Connection connection;
  private final SimApplication application;
  private final LongConsumer drive;
  private final ByteBuffer header = ByteBuffer.allocate(512);

  /**
   * Creates the port of an application.
   *
   * @param drive lets the connection report and send everything that is due at the given time
   */
  DirectPort(Connection connection, SimApplication application, LongConsumer drive) {
    this.connection = connection;
    this.application = application;
    this.drive = drive;
  }

  @Override
  public boolean push(PlannedTransaction transaction) {
    Workload.header(transaction, header, 0);
    return connection
        .verbs()
        .submitPush(
            application,
            SimApplication.handle(transaction),
            transaction.lengthBytes,
            header,
            0,
            transaction.headerLength,
            transaction.index,
            !transaction.isUnawaited);
  }

  @Override
  public int readyPushLengthMax() {
    return connection.verbs().readyPushLengthMax();
  }

  @Override
  public void pushesReady() {
    connection.verbs().pushesReady();
  }

  @Override
  public boolean pull(PlannedTransaction transaction) {
    Workload.header(transaction, header, 0);
    return connection
        .verbs()
        .submitPull(
            transaction.lengthBytesMax, header, 0, transaction.headerLength, transaction.index);
  }

  @Override
  public boolean cancel(long rsn) {
    return connection.verbs().cancel(rsn);
  }

  @Override
  public void deadline(long rsn, long deadlineNs) {
    connection.verbs().deadline(rsn, deadlineNs);
  }

  @Override
  public boolean receipt(long rsn) {
    return connection.verbs().receipt(rsn);
  }

  @Override
  public void acknowledge(long rsn) {
    connection.verbs().acknowledge(rsn);
  }

  @Override
  public void fail(long rsn, int code, String text) {
    connection.verbs().fail(rsn, code, text);
  }

  @Override
  public void takesWhole(int lengthBytesMax) {
    connection.verbs().takesWhole(lengthBytesMax);
  }

  @Override
  public void failByTransport(long rsn, CloseCode code) {
    connection.verbs().failByTransport(rsn, code, false);
  }

  @Override
  public boolean respond(long rsn, PlannedTransaction transaction) {
    boolean isTaken =
        connection
            .verbs()
            .respond(rsn, application, SimApplication.handle(transaction), transaction.lengthBytes);
    if (!isTaken) {
      application.released(transaction);
    }
    return isTaken;
  }

  @Override
  public void ready(PlannedTransaction transaction) {
    connection.verbs().ready(SimApplication.handle(transaction));
  }

  @Override
  public boolean accept(long rsn, boolean isAnswer, long handle, boolean isKeptWhole) {
    return isAnswer
        ? connection.verbs().acceptAnswer(rsn, handle, Long.MAX_VALUE)
        : connection.verbs().accept(rsn, handle, isKeptWhole, Long.MAX_VALUE);
  }

  @Override
  public void refuse(long rsn, boolean isAnswer, int code, boolean isByTransport) {
    if (isAnswer) {
      connection.verbs().refuseAnswer(rsn, code, isByTransport);
    } else {
      connection.verbs().refuse(rsn, code, isByTransport);
    }
  }

  @Override
  public void failSink(long rsn, boolean isAnswer) {
    if (isAnswer) {
      connection.verbs().failAnswerSink(rsn);
    } else {
      connection.verbs().failSink(rsn);
    }
  }

  @Override
  public void taken(long rsn, boolean isAnswer, long bytes) {
    if (isAnswer) {
      connection.verbs().takenOfPull(rsn, bytes);
    } else {
      connection.verbs().taken(rsn, bytes);
    }
  }

  @Override
  public void retryOpen(long rsn, boolean isAnswer) {
    connection.verbs().retryOpen(rsn);
  }

  @Override
  public void flush(long nowNs) {
    drive.accept(nowNs);
  }

  @Override
  public void finish() {
    connection.verbs().finish();
  }

  @Override
  public void close(int code, String text, long nowNs) {
    connection.close(code, text, nowNs);
    drive.accept(nowNs);
  }

  @Override
  public void abort(int code, String text, long nowNs) {
    connection.abort(code, text, nowNs);
    drive.accept(nowNs);
  }
}
