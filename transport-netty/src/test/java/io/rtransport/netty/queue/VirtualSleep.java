package io.rtransport.netty.queue;

import io.rtransport.core.queue.EventConsumer;
import io.rtransport.core.queue.EventQueue;
import io.rtransport.core.queue.Parker;
import java.lang.reflect.Field;
import java.util.List;

/**
 * The sleep of a consumer on virtual time: {@link EventConsumer#await} without a thread that
 * blocks. It takes the place of the parker that wakes the consumer's thread.
 */
final class VirtualSleep implements Parker {
  private final EventConsumer consumer;
  private boolean isAsleep;
  private boolean hasPermit;
  private long endNs;

  VirtualSleep(RtQueues queues) {
    consumer = (EventConsumer) field(RtQueues.class, "consumer", queues);
    for (Object queue : (List<?>) field(RtQueues.class, "queues", queues)) {
      replaceParker(((LoopQueue) queue).events);
    }
  }

  private static Object field(Class<?> owner, String name, Object of) {
    try {
      Field read = owner.getDeclaredField(name);
      read.setAccessible(true);
      return read.get(of);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private void replaceParker(EventQueue events) {
    try {
      Field replaced = EventQueue.class.getDeclaredField("parker");
      replaced.setAccessible(true);
      replaced.set(events, this);
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  /** Arms the consumer after a poll that found nothing, and lets it sleep. */
  void begin(long seenCount, int threshold, long newEndNs) {
    if (!consumer.arm(seenCount, threshold)) {
      throw new AssertionError("arming is refused, and nothing was stored since the poll");
    }
    isAsleep = true;
    endNs = newEndNs;
  }

  boolean isAsleep() {
    return isAsleep;
  }

  /** Returns when it would return from its sleep; now, if it was woken. */
  long endNs(long nowNs) {
    return hasPermit ? nowNs : endNs;
  }

  void end() {
    isAsleep = false;
    hasPermit = false;
    consumer.disarm();
  }

  @Override
  public void unpark() {
    hasPermit = true;
  }

  @Override
  public long nowNs() {
    throw new AssertionError("its time is the world's");
  }

  @Override
  public void park(long timeoutNs) {
    throw new AssertionError("nothing blocks here");
  }

  @Override
  public void pause() {
    throw new AssertionError("nothing blocks here");
  }
}
