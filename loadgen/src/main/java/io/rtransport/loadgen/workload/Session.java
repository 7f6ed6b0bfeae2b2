package io.rtransport.loadgen.workload;

/**
 * Sending half of one connection of any transport, as the workload sees it. Every call is made on
 * the connection's event loop, and none of them calls the {@link Listener} back before it returns.
 */
public interface Session {
  /**
   * Takes a message, or refuses it for lack of room. After a refusal the listener gets {@link
   * Listener#onRoom} (or completions). The message is sent at the next {@link #flush} at the
   * latest.
   *
   * @param sequence 0, 1, 2 …: each number once it was taken
   * @param lengthBytes of the message (pull: of the answer)
   * @param measured whether it belongs to the measured time
   */
  boolean offer(long sequence, int lengthBytes, boolean measured);

  /** Sends the taken messages. */
  void flush();

  /** Listener of the workload to the connection, called on its event loop. */
  interface Listener {
    /**
     * Tells that a message completed: acknowledged by the peer's application, echoed, or answered.
     */
    void onCompleted(long sequence);

    /** Tells that all messages up to and including this one completed, unless they already had. */
    void onCompletedThrough(long sequence);

    /** Tells that one message failed. The connection lives on. */
    void onFailed(long sequence);

    /** Tells that completions are over for now: the time to send again. */
    void onBatchEnd();

    /** Tells, after a refusal, that there is room again. */
    void onRoom();

    /** Tells that the connection ended, not by the workload's wish. */
    void onClosed(String reason);
  }
}
