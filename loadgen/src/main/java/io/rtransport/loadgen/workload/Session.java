package io.rtransport.loadgen.workload;

/**
 * The sending half of one connection of some transport, as the workload sees it. Every call is made
 * on the connection's event loop, and none of them calls the {@link Listener} back before it
 * returns.
 */
public interface Session {
  /**
   * Takes a message, or refuses it for want of room; after a refusal the listener hears {@link
   * Listener#onRoom} (or completions). Sent at the next {@link #flush} at the latest.
   *
   * @param sequence 0, 1, 2 …: each number once it was taken
   * @param lengthBytes of the message (pull: of the answer)
   * @param measured whether it belongs to the measured time
   */
  boolean offer(long sequence, int lengthBytes, boolean measured);

  /** Sends what was taken. */
  void flush();

  /** What the connection tells the workload, on its event loop. */
  interface Listener {
    /** One message completed: acknowledged by the peer's application, echoed, or answered. */
    void onCompleted(long sequence);

    /** All messages up to and including this one completed, unless they had already. */
    void onCompletedThrough(long sequence);

    /** One message failed; the connection lives on. */
    void onFailed(long sequence);

    /** Completions are over for now: the time to send again. */
    void onBatchEnd();

    /** After a refusal: there is room again. */
    void onRoom();

    /** The connection ended, not by the workload's wish. */
    void onClosed(String reason);
  }
}
