package io.rtransport.netty;

import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.outcome.CloseCode;
import java.util.concurrent.RejectedExecutionException;
import org.agrona.collections.LongArrayQueue;

/**
 * Decides when the core is told of the application's answers to the peer's messages. They come on
 * any thread, and perhaps from inside the core, which takes no call then. Such an answer waits for
 * a task of the event loop, or for the end of the turn. If the loop has ended, and the connection
 * with it, no answer counts any more.
 */
final class InboundAnswers {
  private static final long NO_RSN = -1;

  private final LinkedChannel channel;
  private final WriteQueue writes;
  private LongArrayQueue released; // null until there was one

  InboundAnswers(LinkedChannel channel, WriteQueue writes) {
    this.channel = channel;
    this.writes = writes;
  }

  void acknowledge(long rsn) {
    if (channel.eventLoop().inEventLoop() && !channel.link().isTransmitting()) {
      verbs().acknowledge(rsn); // the path of almost every message: no task
      channel.link().pumpDue();
      return;
    }
    onLoop(() -> verbs().acknowledge(rsn));
  }

  /**
   * Notes an acknowledgement. It is not sent at once: the release may come from inside the core,
   * when it releases a payload.
   */
  void acknowledgeReleased(long rsn) {
    if (channel.eventLoop().inEventLoop()) {
      released = released == null ? new LongArrayQueue(NO_RSN) : released;
      released.addLong(rsn);
      channel.link().pumpDue();
    } else {
      onLoop(() -> acknowledgeReleased(rsn));
    }
  }

  /** Tells the core of the released messages. Called outside the core, on the event loop. */
  void settleReleased() {
    while (released != null && !released.isEmpty()) {
      verbs().acknowledge(released.pollLong());
    }
  }

  void fail(long rsn, int code, String text) {
    onLoop(() -> verbs().fail(rsn, code, text));
  }

  /** Fails a message whose handler threw. The peer is told that, and no more. */
  void failBroken(long rsn) {
    failByTransport(rsn, CloseCode.APPLICATION_ERROR, true);
  }

  void failByTransport(long rsn, CloseCode code, boolean isOutcomeUnknown) {
    onLoop(() -> verbs().failByTransport(rsn, code, isOutcomeUnknown));
  }

  void respond(long rsn, RtPayload payload) {
    if (!onLoop(() -> writes.addAnswer(rsn, payload))) {
      payload.release();
    }
  }

  private ApplicationVerbs verbs() {
    return channel.link().connection().verbs();
  }

  /** Runs {@code answer} on the event loop. Returns false if the loop has ended. */
  private boolean onLoop(Runnable answer) {
    if (channel.eventLoop().inEventLoop()) {
      channel.onLoop(answer);
      return true;
    }
    try {
      channel.eventLoop().execute(() -> channel.onLoop(answer));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }
}
