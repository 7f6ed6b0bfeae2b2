package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.queue.AnswerRing;
import io.rtransport.core.queue.CancelSet;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.Doorbell;
import io.rtransport.core.queue.InboundBytes;
import io.rtransport.core.queue.SubmissionRing;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;

/**
 * All that a connection's event loop and its consumer share. Each part says which of its methods is
 * whose.
 */
final class ConnectionRings {
  /** What the completion queue tells: its opcode. */
  static final int PUSH_ENDED = 0;

  static final int PULL_ENDED = 1;
  static final int MESSAGE = 2;
  static final int LENT_MESSAGE = 3;
  static final int REQUEST = 4;
  static final int END = 5;

  /** Bit of the status of an end: the code is RT's own. The rest is the outcome. */
  static final int FROM_TRANSPORT = 1 << 7;

  /** Bit of the status of an end: its text is the next of {@link #texts}, else {@link #textOf}. */
  static final int HAS_TEXT = 1 << 6;

  /** Number of the lent buffer of an end that has no bytes. */
  static final int NO_BUFFER = -1;

  /** What is submitted: {@link SubmissionRing#kind()}. GIVEN_UP has room and bytes, and no end. */
  static final int COPIED = 0;

  static final int LENT = 1;
  static final int PULL = 2;
  static final int GIVEN_UP = 3;

  /**
   * What is answered: {@link AnswerRing#kind()}. The code of ACKNOWLEDGE_RUN is the number of
   * messages, which have no lent buffer and whose RSNs follow each other.
   */
  static final int ACKNOWLEDGE = 0;

  static final int FAIL = 1;
  static final int BREAK = 2;
  static final int RESPOND = 3;
  static final int HEARD = 4;
  static final int ACKNOWLEDGE_RUN = 5;

  /** Longest application header that a ring takes, bytes. */
  static final int HEADER_MAX = 512;

  final CompletionQueue completions;
  final SubmissionRing submissions;
  final AnswerRing answers;
  final InboundBytes inbound;
  final Doorbell bell = new Doorbell();

  /**
   * Buffers of messages that the loop lends to the consumer, by number. The loop writes one before
   * the entry that names it, and again after the consumer has answered; the rings carry the order
   * of memory.
   */
  final ByteBuf[] lent;

  /** Posts that are given up; null until the first is. */
  final AtomicReference<CancelSet> cancels = new AtomicReference<>();

  /** Texts of failures, in the order of their ends. Few have one. */
  final Queue<String> texts = new ConcurrentLinkedQueue<>();

  /**
   * Answers to pulls, by number, in a circle. The loop writes one before the entry that names it,
   * and the consumer releases it behind the handler.
   *
   * <p>The room of a run of entries is free before the handler sees the first of them. So while the
   * loop writes one, postedMax - 1 others at the most stand in entries that have room, and a run of
   * {@link CompletionQueue#RUN_MAX} is in the hands of the consumer: with postedMax + RUN_MAX
   * places the next in the circle is over, and the consumer's release of the next run's room
   * carries the order of memory.
   */
  final ByteBuf[] pulled;

  final int inboundMax;
  private final int postedMax;

  /** Whether the loop hears of each post at once: {@link RtQueueConnection#autoFlush}. */
  volatile boolean isAutoFlush = true;

  ConnectionRings(CompletionQueue completions, RtQueueConfig config) {
    this.completions = completions;
    inboundMax = config.inboundMax();
    postedMax = config.postedMax();
    submissions = new SubmissionRing(config.postedMax(), config.submissionBytes());
    answers = new AnswerRing(config.inboundMax());
    inbound = new InboundBytes(config.inboundBytes());
    lent = new ByteBuf[config.inboundMax()];
    pulled = new ByteBuf[config.postedMax() + CompletionQueue.RUN_MAX];
  }

  /** Has the loop give up a post. False if the set is full. Any thread; then it rings. */
  boolean cancel(int post) {
    CancelSet set = cancels.get();
    if (set == null) {
      cancels.compareAndSet(null, new CancelSet(postedMax + CompletionQueue.RUN_MAX));
      set = cancels.get();
    }
    return set.add(post);
  }

  /** Returns the text of a post that was given up; empty for any other code. */
  static String textOf(int code) {
    return code == CloseCode.CANCELLED.code()
        ? CloseCode.CANCELLED.sentence()
        : code == CloseCode.DEADLINE.code() ? CloseCode.DEADLINE.sentence() : "";
  }
}
