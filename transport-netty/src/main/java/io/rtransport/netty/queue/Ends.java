package io.rtransport.netty.queue;

import io.netty.buffer.ByteBuf;
import io.rtransport.core.outcome.Outcome;

/** Takes the ends of own transactions. Loop-confined. */
interface Ends {
  /**
   * Stores an end.
   *
   * @param opcode {@link ConnectionRings#PUSH_ENDED} or {@link ConnectionRings#PULL_ENDED}
   * @param buffer number that {@link #lend} gave, or {@link ConnectionRings#NO_BUFFER}
   */
  void store(
      long tag,
      int opcode,
      Outcome outcome,
      boolean isFromTransport,
      int code,
      String text,
      long bytes,
      int buffer);

  /** Lends the answer to a pull to the consumer. Returns its number. */
  int lend(ByteBuf answer);
}
