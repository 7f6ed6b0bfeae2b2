package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.netty.OutboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import java.util.ArrayDeque;

/**
 * Ends of the transactions of writes. {@link #run} ends their promises outside the core's
 * transmissions, because their listeners may do anything. It runs before the application reads the
 * next message, or at the end of the turn. Confined to the event loop.
 */
final class WriteCompletions {
  /**
   * Tags of pushes that were written with the void promise. They name no slot, because the entry of
   * such a push is free as soon as its payload is.
   */
  static final long VOID_PLAIN_TAG = -1;

  static final long VOID_PUSH_TAG = -2;

  private final LinkedChannel channel;
  private final OutboundPool pool;
  private final OutboundQueue completed;
  private EarlyCompletions early; // once an entry needs it
  private ArrayDeque<RtException> voidFailures; // once there is a failure
  private RtException plainFailure;
  private boolean isPlainFailureTold;

  /** The next entry to end, while it waits until its sink has written the answer; else null. */
  private OutboundMessage held;

  WriteCompletions(LinkedChannel channel, OutboundPool pool) {
    this.channel = channel;
    this.pool = pool;
    this.completed = new OutboundQueue(pool);
  }

  /**
   * Tells that the payload of {@code entry} is released, which may complete its promise. Perhaps
   * called inside the call that builds a packet.
   */
  void onReleased(OutboundMessage entry) {
    if (entry.completes() == WriteCompletes.SENT && entry.isWholeCopied) {
      early().add(entry);
    }
  }

  /** Tells that the peer's transport has the message that was submitted as {@code tag}. */
  void onReceived(long tag) {
    early().add(pool.bySlot((int) tag));
  }

  private EarlyCompletions early() {
    if (early == null) {
      early = new EarlyCompletions(pool, channel.link().connection());
    }
    return early;
  }

  /** Takes the end of a transaction. Its promise is done at the next {@link #run}. */
  void onEnded(OutboxEntry end) {
    long tag = end.tag();
    if (tag < 0) {
      if (end.outcome() != Outcome.COMPLETED) {
        onVoidFailed(
            tag, new RtException(end.outcome(), end.code(), end.text(), end.isFromTransport()));
      }
      return;
    }
    OutboundMessage entry = pool.bySlot((int) tag);
    entry.end(end.outcome(), end.code(), end.text());
    entry.isFromTransport = end.isFromTransport();
    completed.add(entry);
  }

  private void onVoidFailed(long tag, RtException failure) {
    voidFailures = voidFailures == null ? new ArrayDeque<>() : voidFailures;
    voidFailures.add(failure);
    if (tag == VOID_PLAIN_TAG) {
      notePlain(failure, true); // the void promise tells it just before
    }
  }

  /**
   * Notes the failure of a bare buffer's push. It ends the channel, because the stream has a hole.
   * The first failure counts.
   */
  void notePlain(RtException failure, boolean isTold) {
    if (plainFailure == null) {
      plainFailure = failure;
      isPlainFailureTold = isTold;
    }
  }

  /** Returns whether {@link #run} has something to do. */
  boolean isDue() {
    return isDueNow()
        || voidFailures != null && !voidFailures.isEmpty()
        || early != null && early.isDue();
  }

  /**
   * Ends promises before the application reads a message that the peer may have written as an
   * answer to these writes. Over TCP a write is done before its answer is there, and codecs rely on
   * that.
   *
   * @return whether the application may have been called
   */
  boolean runBeforeRead() {
    boolean isCalled = isDue();
    if (isCalled) {
      run();
    }
    return isCalled;
  }

  /** Ends the promises of the transactions that have ended. Calls into the application. */
  void run() {
    if (early != null) {
      early.run();
    }
    while (isDueNow()) {
      OutboundMessage entry = completed.peek();
      if (entry == held) {
        held = null; // it ends by itself, once it is settled
        completed.poll();
      } else if (entry.answer != null && !entry.answer.isSettled()) {
        held = entry;
        entry.answer.onSettled(() -> onSettled(entry));
      } else {
        end(completed.poll());
      }
    }
    while (voidFailures != null && !voidFailures.isEmpty()) {
      channel.voidPromise().tryFailure(voidFailures.poll());
    }
  }

  private boolean isDueNow() {
    return !completed.isEmpty() && (held == null || isPassed());
  }

  /**
   * Returns whether other entries end before the held one, whose disk is slow. They do if the
   * connection has no order, or nobody needs the order any more.
   */
  private boolean isPassed() {
    Connection connection = channel.link().connection();
    return !channel.isOpen() || connection.isEnded() || !connection.agreed().isOrdered();
  }

  private void onSettled(OutboundMessage entry) {
    if (held == entry) {
      held = null;
      run();
    } else {
      end(entry);
    }
  }

  private void end(OutboundMessage entry) {
    ChannelPromise promise = entry.promise;
    Pull pull = entry.pull;
    PullAnswer answer = entry.answer;
    boolean isReported = entry.isReported;
    RtException failure =
        entry.outcome() == Outcome.COMPLETED
            ? null
            : new RtException(entry.outcome(), entry.code, entry.text(), entry.isFromTransport);
    boolean isPlain = entry.kind() == Kind.PLAIN;
    if (isPlain && failure != null) {
      notePlain(failure, false);
    }
    entry.promise = null;
    if (entry.isReleased) {
      pool.give(entry);
    }
    if (isReported) {
      early.onEnded(isPlain, failure);
    } else if (pull != null) {
      answer.complete(promise, pull, failure);
    } else if (failure == null) {
      promise.trySuccess();
    } else {
      promise.tryFailure(failure);
    }
  }

  /** Returns the failure of a write whose promise had been done before, once each; else null. */
  RtException takeLateFailure() {
    return early == null ? null : early.takeFailure();
  }

  /** Returns why a bare buffer's push failed, once; else null. */
  RtException takePlainFailure() {
    RtException failure = plainFailure;
    plainFailure = null;
    return failure;
  }

  /**
   * Returns whether the void promise has told {@code exceptionCaught} of the failure that was taken
   * last.
   */
  boolean isPlainFailureTold() {
    return isPlainFailureTold;
  }
}
