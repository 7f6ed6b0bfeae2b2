package io.rtransport.core.queue;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A sweep of 64 event queues with 64 completion queues each, 4,096 in all: idle, or with one entry
 * in one of them. With summary bytes an idle sweep reads 64 bytes, on one cache line or two.
 * Without, it reads each event queue's ring: the reader, the queue, the ring and its two words,
 * five lines each and 320 in all. Without event queues it reads two words of each completion queue,
 * 8,192 lines. {@code -prof perfnorm} counts what the processor reads, where it may be asked.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SweepBenchmark implements Parker, QueueHandler {
  private static final int EVENT_QUEUES = 64;
  private static final int QUEUES_EACH = 64;

  @Param({"true", "false"})
  private boolean summaryBytes;

  private final EventQueue[] events = new EventQueue[EVENT_QUEUES];
  private final CompletionQueue[] queues = new CompletionQueue[EVENT_QUEUES * QUEUES_EACH];
  private EventConsumer consumer;
  private int next;
  private long seen;

  /** Opens all queues. */
  @Setup
  public void open() {
    consumer = new EventConsumer(EVENT_QUEUES, QUEUES_EACH, 1, this);
    EventQueueControls controls = new EventQueueControls(summaryBytes, false, false);
    for (int e = 0; e < EVENT_QUEUES; e++) {
      events[e] = consumer.addEventQueue(controls, 1_000);
      for (int q = 0; q < QUEUES_EACH; q++) {
        queues[e * QUEUES_EACH + q] = consumer.open(events[e], 8, 0);
      }
    }
  }

  /** Nothing anywhere. */
  @Benchmark
  public int idle() {
    return consumer.poll(this, 64);
  }

  /** One entry in one of the queues, another one each time. Includes storing it. */
  @Benchmark
  public int oneBusy() {
    store();
    return consumer.poll(this, 64);
  }

  /** Nothing anywhere, and no event queue is asked: each completion queue is. */
  @Benchmark
  public int idleWithoutEventQueues() {
    int found = 0;
    for (CompletionQueue queue : queues) {
      found += queue.hasEntries() ? 1 : 0;
    }
    return found;
  }

  private void store() {
    next = next + 67 & queues.length - 1;
    CompletionQueue queue = queues[next];
    queue.tryPost(1);
    queue.store(next, 0, 0, 0, 0, 0, 0);
    events[queue.eventQueue()].announce(queue, 1, next);
  }

  @Override
  public void onCompletion(Completion completion) {
    seen += completion.tag();
  }

  @Override
  public long nowNs() {
    return seen;
  }

  @Override
  public void park(long timeoutNs) {}

  @Override
  public void unpark() {}

  @Override
  public void pause() {}
}
