package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.queue.AnswerRing;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.Doorbell;
import io.rtransport.core.queue.InboundBytes;
import io.rtransport.core.queue.SubmissionRing;

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

  /** Bit of the status of an end: the code is RT's own. The rest is the outcome. */
  static final int FROM_TRANSPORT = 1 << 7;

  /** Number of the lent buffer of an end that has no bytes. */
  static final int NO_BUFFER = -1;

  /** What is submitted: {@link SubmissionRing#kind()}. */
  static final int COPIED = 0;

  static final int LENT = 1;
  static final int PULL = 2;

  /** What is answered: {@link AnswerRing#kind()}. */
  static final int ACKNOWLEDGE = 0;

  static final int FAIL = 1;
  static final int BREAK = 2;
  static final int RESPOND = 3;
  static final int RELEASE = 4;

  /** Longest application header that a ring takes, bytes. */
  static final int HEADER_MAX = 512;

  final CompletionQueue completions;
  final SubmissionRing submissions;
  final AnswerRing answers;
  final InboundBytes inbound;
  final Doorbell bell = new Doorbell();

  /**
   * Buffers that the loop lends to the consumer, by number: first those of messages, then those of
   * answers to pulls. The loop writes one before the entry that names it, and again after the
   * consumer has given it back; the rings carry the order of memory.
   */
  final ByteBuf[] lent;

  final int inboundMax;

  ConnectionRings(CompletionQueue completions, RtQueueConfig config) {
    this.completions = completions;
    inboundMax = config.inboundMax();
    submissions = new SubmissionRing(config.postedMax(), config.submissionBytes());
    answers = new AnswerRing(config.inboundMax() + config.postedMax());
    inbound = new InboundBytes(config.inboundBytes());
    lent = new ByteBuf[config.inboundMax() + config.postedMax()];
  }
}
