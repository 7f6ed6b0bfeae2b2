package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.netty.OutboundMessage.Kind;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import java.util.ArrayDeque;

/**
 * How the transactions of what was written have ended. Their promises are done outside the core's
 * transmissions, by {@link #run}, for their listeners may do anything: before the application reads
 * the next message, or at the end of the turn. Confined to the event loop.
 */
final class WriteCompletions {
  /**
   * Tags of pushes that were written with the void promise: no slot, for their entries are free
   * when their payloads are.
   */
  static final long VOID_PLAIN_TAG = -1;

  static final long VOID_PUSH_TAG = -2;

  private final LinkedChannel channel;
  private final OutboundPool pool;
  private final OutboundQueue completed;
  private EarlyCompletions early; // once there is one
  private ArrayDeque<RtException> voidFailures; // the same
  private RtException plainFailure;
  private boolean isPlainFailureTold;

  /** The next to end, where it waits until its sink has written the answer; else null. */
  private OutboundMessage held;

  WriteCompletions(LinkedChannel channel, OutboundPool pool) {
    this.channel = channel;
    this.pool = pool;
    this.completed = new OutboundQueue(pool);
  }

  /**
   * The payload of {@code entry} is released: its promise may be done with that. Perhaps inside the
   * call that builds a packet.
   */
  void onReleased(OutboundMessage entry) {
    if (entry.completes() == WriteCompletes.SENT && entry.isWholeCopied) {
      early().add(entry);
    }
  }

  /** The peer's transport has what was submitted as {@code tag}. */
  void onReceived(long tag) {
    early().add(pool.bySlot((int) tag));
  }

  private EarlyCompletions early() {
    if (early == null) {
      early = new EarlyCompletions(pool, channel.link().connection());
    }
    return early;
  }

  /** A transaction ended: its promise is done at the next {@link #run}. */
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
      notePlain(failure, true); // told by the void promise, just before
    }
  }

  /**
   * A bare buffer's push has failed, which ends the channel, for its stream has a hole. The first
   * counts.
   */
  void notePlain(RtException failure, boolean isTold) {
    if (plainFailure == null) {
      plainFailure = failure;
      isPlainFailureTold = isTold;
    }
  }

  /** Whether {@link #run} has something to do. */
  boolean isDue() {
    return isDueNow()
        || voidFailures != null && !voidFailures.isEmpty()
        || early != null && early.isDue();
  }

  /**
   * The application is about to read what the peer's may have written because it has taken these:
   * over TCP a write is done before its answer is there, and codecs count on it.
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
        held = null; // it ends on its own, once it is settled
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
   * Whether others end before one whose disk is slow: there is no order, or nothing to keep it for.
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

  /** Why a write failed whose promise had said that it was done, once each; else null. */
  RtException takeLateFailure() {
    return early == null ? null : early.takeFailure();
  }

  /** Why a bare buffer's push failed, once; else null. */
  RtException takePlainFailure() {
    RtException failure = plainFailure;
    plainFailure = null;
    return failure;
  }

  /**
   * Whether the failure that was taken last has reached {@code exceptionCaught} by its void
   * promise.
   */
  boolean isPlainFailureTold() {
    return isPlainFailureTold;
  }
}
