package io.rtransport.core.queue;

/**
 * One consumer with one event queue, as the tests of interleavings use it. An actor plays the event
 * loop, another the consumer.
 */
class Stage implements Parker, QueueHandler {
  static final EventQueueControls ALL = new EventQueueControls(true, false, true);
  static final long DELAY_NS = 1_000;
  private static final int LIMIT = 64;

  final EventConsumer consumer = new EventConsumer(1, 2, 2, this);
  final EventQueue events;
  final CompletionQueue first;
  final CompletionQueue second;

  volatile int unparks;

  // Of each actor what it has to say at the end.
  volatile boolean isArmed;
  volatile boolean isTaken;

  // The consumer's own.
  int polled;
  long lastTag;
  long lastBytes;
  int kinds;

  Stage(EventQueueControls controls, int postedMax, int inboundMax) {
    events = consumer.addEventQueue(controls, DELAY_NS);
    first = consumer.open(events, postedMax, inboundMax);
    second = consumer.open(events, postedMax, inboundMax);
  }

  /** Posts and ends one transaction: the loop. Bytes are equal to the tag. */
  Claim complete(CompletionQueue queue, long tag) {
    Claim claim = queue.tryPost(1);
    if (claim == Claim.TAKEN) {
      queue.store(tag, 0, 0, 0, 0, 0, tag);
      events.announce(queue, 1, 0);
    }
    return claim;
  }

  /** Polls by the summary bytes until nothing comes, and returns how many came in all. */
  int pollAll() {
    for (int i = 0; i < LIMIT && consumer.poll(this, 1) > 0; i++) {}
    return polled;
  }

  int pollOnce(int limit) {
    return consumer.poll(this, limit);
  }

  long pendingCount() {
    return events.words().getAcquire(EventQueue.CEC);
  }

  @Override
  public void onCompletion(Completion completion) {
    polled++;
    lastTag = completion.tag();
    lastBytes = completion.bytes();
  }

  @Override
  public void onLinkEvent(int eventQueue, int subject, int kindsSet, int lastKind, int lastCode) {
    kinds |= kindsSet;
  }

  @Override
  public long nowNs() {
    return 0;
  }

  @Override
  public void park(long timeoutNs) {}

  @Override
  public void unpark() {
    unparks = 1;
  }

  @Override
  public void pause() {}
}
