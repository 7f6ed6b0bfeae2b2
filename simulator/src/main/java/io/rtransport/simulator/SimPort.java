package io.rtransport.simulator;

import io.rtransport.core.wire.CloseCode;

/**
 * What an application does with its connection; implemented over core's {@code Connection} and, for
 * the comparison, over a channel. No verb calls the application back, and none but {@link #flush}
 * sends.
 */
public interface SimPort {
  /** False = no room now; then the entry ROOM follows. */
  boolean push(PlannedTransaction transaction);

  /** Up to which length pushes may be ready instead of being submitted; −1: none may. */
  default int readyPushLengthMax() {
    return -1;
  }

  /** There are some: they go with the next {@link #flush}. */
  default void pushesReady() {}

  /** As {@link #push}. */
  boolean pull(PlannedTransaction transaction);

  /** Gives an own transaction up. False = its end is known. */
  boolean cancel(long rsn);

  /** Sets the deadline of an own transaction that was just submitted. */
  void deadline(long rsn, long deadlineNs);

  /**
   * Has a push that was just submitted told of once the peer's transport has it. False = it will
   * not be.
   */
  boolean receipt(long rsn);

  /** The application has taken the peer's push, or is done with the peer's pull. */
  void acknowledge(long rsn);

  void fail(long rsn, int code, String text);

  /** Which pushes come in one call from now on; where there is a choice. */
  default void takesWhole(int lengthBytesMax) {}

  /** RT's own code could not take a push that came in one call. */
  default void failByTransport(long rsn, CloseCode code) {
    throw new AssertionError("nothing comes in one call here");
  }

  /** Answers the peer's pull. False = no room now; then the entry ROOM follows. */
  boolean respond(long rsn, PlannedTransaction transaction);

  /** The payload source of {@code transaction} has more bytes. */
  void ready(PlannedTransaction transaction);

  /**
   * The message is taken as {@code handle}: a push of the peer, or the answer to an own pull. False
   * = it was given up meanwhile, and no entry names the handle.
   */
  default boolean accept(long rsn, boolean isAnswer, long handle, boolean isKeptWhole) {
    throw new AssertionError("messages are whole here when they are told");
  }

  default void refuse(long rsn, boolean isAnswer, int code, boolean isByTransport) {
    throw new AssertionError("messages are whole here when they are told");
  }

  /** What takes the message's bytes has failed. */
  default void failSink(long rsn, boolean isAnswer) {
    throw new AssertionError("messages are whole here when they are told");
  }

  /**
   * The application took bytes of the peer's push, or of the answer to its own pull, after the
   * write that brought them.
   */
  void taken(long rsn, boolean isAnswer, long bytes);

  /**
   * The transaction just delivered is not decided within the call: the verdict on it comes later.
   */
  default void onUndecided(long rsn) {}

  /** Asks again for a place for a message to which the application said LATER. */
  void retryOpen(long rsn, boolean isAnswer);

  void flush(long nowNs);

  /** No more transactions of ours: half-close. */
  void finish();

  /** No more transactions of ours; ends when all is done. */
  void close(int code, String text, long nowNs);

  /** Ends at once. */
  void abort(int code, String text, long nowNs);
}
