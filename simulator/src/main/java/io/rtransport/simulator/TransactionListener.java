package io.rtransport.simulator;

import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.transaction.PushSupplier;
import java.nio.ByteBuffer;

/**
 * What the transaction sublayer tells the application. Called on the connection's loop only; never
 * inside a submitting call.
 */
public interface TransactionListener {
  /**
   * The peer asks for up to {@code lengthBytesMax} bytes: answer with {@link
   * io.rtransport.core.connection.ApplicationVerbs#respond} or {@link
   * io.rtransport.core.connection.ApplicationVerbs#fail}. In RSN order where ordered.
   *
   * @param header holds the application header at {@code [index, index + length)}; borrowed
   */
  void onPullRequest(long rsn, long lengthBytesMax, ByteBuffer header, int index, int length);

  /**
   * One of this side's own transactions ended; {@code tag} is what was given at its submission.
   * Exactly once each, in the order of submission where ordered.
   */
  void onEnded(long tag, Outcome outcome, int code, String text);

  /**
   * What is called in fact: {@link #onEnded(long, Outcome, int, String)} for whom it is all the
   * same where the code is from.
   *
   * @param isFromTransport whether {@code code} is RT's, a {@link
   *     io.rtransport.core.wire.CloseCode}; else the peer's application's
   */
  default void onEnded(long tag, Outcome outcome, int code, String text, boolean isFromTransport) {
    onEnded(tag, outcome, code, text);
  }

  /** The payload {@code handle} is let go before its last byte was asked for. */
  default void onSourceReleased(long handle) {}

  /** What the application has ready without submitting it: always the same. */
  default PushSupplier pushSupplier() {
    return PushSupplier.NEVER;
  }

  /**
   * More can be submitted: the RSN window, the queue or credit, which had refused or was exhausted,
   * has room again.
   */
  void onSubmittable();
}
