package io.rtransport.core.queue;

/**
 * What a consumer does with each entry. Called on the consumer's thread, inside of a poll. It may
 * post transactions; it must not poll, arm, open or remove queues. What it throws leaves the poll;
 * the entry it was called for is gone, all others stay.
 */
public interface QueueHandler {
  /**
   * Takes a completion.
   *
   * @param completion valid during this call alone
   */
  void onCompletion(Completion completion);

  /**
   * Takes an event that is no completion.
   *
   * @param eventQueue index of the event queue
   * @param value what {@link EventQueue#putEvent} was given
   */
  default void onEvent(int eventQueue, long value) {}

  /**
   * Takes what happened to a peer or a rail since the last call for it.
   *
   * @param eventQueue index of the event queue
   * @param subject number of the peer or rail
   * @param kinds set of what happened: bit k is set if an event of kind k came
   * @param lastKind kind of the last event, 0..15
   * @param lastCode code of the last event
   */
  default void onLinkEvent(int eventQueue, int subject, int kinds, int lastKind, int lastCode) {}
}
