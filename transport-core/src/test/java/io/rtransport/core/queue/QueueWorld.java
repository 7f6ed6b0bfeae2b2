package io.rtransport.core.queue;

import java.util.ArrayList;
import java.util.List;

/** One consumer on virtual time, with what it was told, for tests that run on one thread. */
final class QueueWorld implements QueueHandler {
  static final int OPCODE = 3;
  static final int STATUS = 4;

  /** Virtual time, and a sleep that ends at its timeout unless something happens meanwhile. */
  final class VirtualParker implements Parker {
    long nowNs;
    int parks;
    int unparks;
    int pauses;
    private boolean hasPermit;

    /** What happens while the consumer sleeps, once. */
    Runnable meanwhile = () -> {};

    /** What a wake-up does beside. */
    Runnable whenUnparked = () -> {};

    @Override
    public long nowNs() {
      return nowNs;
    }

    @Override
    public void park(long timeoutNs) {
      parks++;
      Runnable happens = meanwhile;
      meanwhile = () -> {};
      long startNs = nowNs;
      happens.run();
      if (!hasPermit) {
        nowNs = startNs + timeoutNs;
      }
      hasPermit = false;
    }

    @Override
    public void unpark() {
      unparks++;
      hasPermit = true;
      whenUnparked.run();
    }

    @Override
    public void pause() {
      pauses++;
    }
  }

  final VirtualParker parker = new VirtualParker();
  final EventConsumer consumer;
  final List<Long> tags = new ArrayList<>();
  final List<Integer> slots = new ArrayList<>();
  final List<Long> events = new ArrayList<>();
  final List<String> linkEvents = new ArrayList<>();

  /** What the handler does beside, for each completion. */
  Runnable beside = () -> {};

  QueueWorld(int eventQueuesMax, int completionQueuesMax) {
    consumer = new EventConsumer(eventQueuesMax, completionQueuesMax, 8, parker);
  }

  CompletionQueue open(EventQueue events, int capacity) {
    return consumer.open(events, capacity, 0);
  }

  /** Posts, completes and announces one transaction. */
  static void complete(EventQueue events, CompletionQueue queue, long tag, long nowNs) {
    if (queue.tryPost(1) != Claim.TAKEN) {
      throw new IllegalStateException("no room for " + tag);
    }
    queue.store(tag, 1, 2, OPCODE, STATUS, 0, 10);
    events.announce(queue, 1, nowNs);
  }

  int poll(int limit) {
    return consumer.poll(this, limit);
  }

  static long pendingCount(EventQueue events) {
    return events.words().getAcquire(EventQueue.CEC);
  }

  @Override
  public void onCompletion(Completion completion) {
    tags.add(completion.tag());
    slots.add(completion.slot());
    beside.run();
  }

  @Override
  public void onEvent(int eventQueue, long value) {
    events.add(value);
  }

  @Override
  public void onLinkEvent(int eventQueue, int subject, int kinds, int lastKind, int lastCode) {
    linkEvents.add(eventQueue + ":" + subject + ":" + kinds + ":" + lastKind + ":" + lastCode);
  }
}
