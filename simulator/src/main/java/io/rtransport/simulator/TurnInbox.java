package io.rtransport.simulator;

import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * Waiting deliveries and ends for the application of a {@link TurnHost}. Bytes of pushes count as
 * taken only when the application reads their message. Answers to its own pulls are taken as they
 * arrive.
 */
final class TurnInbox {
  private final SimApplication application;
  private final ArrayDeque<Runnable> ready = new ArrayDeque<>();
  private final ArrayDeque<Runnable> ends = new ArrayDeque<>();
  private final Map<Long, Long> untakenBytes = new HashMap<>();
  private Connection connection;

  TurnInbox(SimApplication application) {
    this.application = application;
  }

  void connection(Connection owned) {
    connection = owned;
  }

  void onOpened(OutboxEntry entry) {
    long rsn = entry.rsn();
    boolean isAnswer = entry.isAnswer();
    long handle =
        application
            .inbox(isAnswer)
            .open(
                rsn,
                entry.messageLength(),
                entry.buffer(),
                entry.headerOffset(),
                entry.headerLength());
    if (handle < 0) {
      throw new AssertionError("nothing is put off or refused here");
    }
    boolean isWaitedFor =
        isAnswer
            ? connection.verbs().acceptAnswer(rsn, handle, Long.MAX_VALUE)
            : connection.verbs().accept(rsn, handle, true, Long.MAX_VALUE);
    if (!isWaitedFor) {
      onDelivered(handle, isAnswer, false);
    }
  }

  void onBytes(OutboxEntry entry) {
    long rsn = entry.rsn();
    long handle = entry.handle();
    boolean isAnswer = entry.isAnswer();
    int length = entry.length();
    int taken =
        application
            .inbox(isAnswer)
            .write(handle, entry.messageOffset(), entry.buffer(), entry.offset(), length);
    if (taken != length) {
      throw new AssertionError("whole messages are taken when they are read");
    }
    if (isAnswer) {
      connection.verbs().takenOfPull(rsn, length);
    } else {
      untakenBytes.merge(handle, (long) length, Long::sum);
    }
  }

  void onDelivered(long handle, boolean isAnswer, boolean isWhole) {
    if (isAnswer) {
      ends.add(() -> application.inbox(true).deliver(handle, isWhole));
    } else if (isWhole) {
      ready.add(() -> readPush(handle));
    } else {
      application.inbox(false).deliver(handle, false);
    }
  }

  private void readPush(long handle) {
    application.inbox(false).deliver(handle, true);
    Long taken = untakenBytes.remove(handle);
    if (taken != null && taken > 0) {
      connection.verbs().taken(application.pushRsn(handle), taken);
    }
  }

  void onRequested(OutboxEntry entry) {
    long rsn = entry.rsn();
    long limitBytes = entry.limitBytes();
    int length = entry.headerLength();
    ByteBuffer copy =
        ByteBuffer.allocate(length).put(0, entry.buffer(), entry.headerOffset(), length);
    ready.add(() -> application.onPullRequest(rsn, limitBytes, copy, 0, length));
  }

  void onEnded(OutboxEntry entry) {
    long tag = entry.tag();
    Outcome outcome = entry.outcome();
    int code = entry.code();
    String text = entry.text();
    for (int i = 0; i < entry.count(); i++) {
      ends.add(() -> application.onEnded(tag, outcome, code, text));
    }
  }

  boolean hasReady() {
    return !ready.isEmpty();
  }

  boolean hasEnds() {
    return !ends.isEmpty();
  }

  /**
   * Lets the application read everything that waits. Before that it hears of the ends, which may be
   * the reason for a message.
   */
  void read() {
    if (!ready.isEmpty()) {
      runEnds();
    }
    while (!ready.isEmpty()) {
      ready.poll().run();
    }
  }

  /** Tells the application of the ends of its own transactions. */
  void runEnds() {
    while (!ends.isEmpty()) {
      ends.poll().run();
    }
  }
}
