package io.rtransport.simulator;

import io.rtransport.core.outcome.CloseCode;

/**
 * Verbs of an application on its connection. They are implemented over core's {@code Connection}
 * and, for the comparison, over a channel. No verb calls the application back, and only {@link
 * #flush} sends.
 */
public interface SimPort {
  /** Submits a push. False = no room now; then the entry ROOM follows. */
  boolean push(PlannedTransaction transaction);

  /** Returns the longest push that may be ready instead of being submitted; −1: none may. */
  default int readyPushLengthMax() {
    return -1;
  }

  /** Says that pushes are ready. They go with the next {@link #flush}. */
  default void pushesReady() {}

  /** Submits a pull, like {@link #push}. */
  boolean pull(PlannedTransaction transaction);

  /** Gives an own transaction up. False = its end is known. */
  boolean cancel(long rsn);

  /** Gives an own transaction up, which has this RSN if it has one. */
  default boolean cancel(PlannedTransaction own, long rsn) {
    return cancel(rsn);
  }

  /** Sets the deadline of an own transaction that was just submitted. */
  void deadline(long rsn, long deadlineNs);

  /**
   * Asks for a receipt of a push that was just submitted, once the peer's transport has it. False =
   * there will be none.
   */
  boolean receipt(long rsn);

  /** The application has taken the peer's push, or is done with the peer's pull. */
  void acknowledge(long rsn);

  void fail(long rsn, int code, String text);

  /** Sets which pushes come in one call from now on, where there is a choice. */
  default void takesWhole(int lengthBytesMax) {}

  /** Fails a push that came in one call: RT's own code could not take it. */
  default void failByTransport(long rsn, CloseCode code) {
    throw new AssertionError("nothing comes in one call here");
  }

  /** Answers the peer's pull. False = no room now; then the entry ROOM follows. */
  boolean respond(long rsn, PlannedTransaction transaction);

  /** Says that the payload source of {@code transaction} has more bytes. */
  void ready(PlannedTransaction transaction);

  /**
   * Accepts a message as {@code handle}: a push of the peer, or the answer to an own pull. False =
   * it was given up meanwhile, and no entry names the handle.
   */
  default boolean accept(long rsn, boolean isAnswer, long handle, boolean isKeptWhole) {
    throw new AssertionError("messages are whole here when they are told");
  }

  default void refuse(long rsn, boolean isAnswer, int code, boolean isByTransport) {
    throw new AssertionError("messages are whole here when they are told");
  }

  /** Fails a message whose sink has failed. */
  default void failSink(long rsn, boolean isAnswer) {
    throw new AssertionError("messages are whole here when they are told");
  }

  /**
   * Says that the application took bytes of the peer's push, or of the answer to its own pull,
   * after the write that brought them.
   */
  void taken(long rsn, boolean isAnswer, long bytes);

  /** Says that the verdict on the transaction just delivered comes later, not within the call. */
  default void onUndecided(long rsn) {}

  /** Asks again for a place for a message to which the application answered LATER. */
  void retryOpen(long rsn, boolean isAnswer);

  void flush(long nowNs);

  /** Half-closes: begins no more transactions. */
  void finish();

  /** Begins no more transactions, and ends when all is done. */
  void close(int code, String text, long nowNs);

  /** Ends at once. */
  void abort(int code, String text, long nowNs);
}
