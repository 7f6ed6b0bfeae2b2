package io.rtransport.loadgen.proof;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What Netty's leak detection, at its paranoid level in all tests, finds in this process. */
final class Leaks {
  private static final int COLLECTIONS = 3;

  private static final long COLLECTED_WITHIN_MILLIS = 10_000;

  /** The detector looks at what was collected when the next buffers are made. */
  private static final int BUFFERS = 200;

  private final List<String> found = new CopyOnWriteArrayList<>();

  private Leaks() {}

  /** Watches from here on. */
  static Leaks watch() {
    if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
      throw new IllegalStateException("no paranoid leak detection: a leak would not be seen");
    }
    Leaks leaks = new Leaks();
    ByteBufUtil.setLeakListener((type, records) -> leaks.found.add(type + "\n" + records));
    return leaks;
  }

  /** Buffers that were forgotten so far, each by where it was touched. */
  List<String> found() {
    for (int i = 0; i < COLLECTIONS; i++) {
      collect();
      for (int j = 0; j < BUFFERS; j++) {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        buffer.release();
      }
    }
    return List.copyOf(found);
  }

  /**
   * Collects garbage, and returns when the JVM has said what was collected. A thread of the JVM
   * says it after the collection, one list for each: when the object of this collection was
   * announced, the whole list of the collection before it was.
   */
  private static void collect() {
    ReferenceQueue<Object> collected = new ReferenceQueue<>();
    Reference<Object> garbage = new PhantomReference<>(new Object(), collected);
    System.gc();
    try {
      if (collected.remove(COLLECTED_WITHIN_MILLIS) != garbage) {
        throw new IllegalStateException("nothing collected: is System.gc() switched off?");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while it waited for a collection", e);
    }
  }
}
