package io.rtransport.loadgen.proof;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What Netty's leak detection, at its paranoid level in all tests, finds in this process. */
final class Leaks {
  private static final int COLLECTIONS = 3;

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
      System.gc();
      for (int j = 0; j < BUFFERS; j++) {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(16);
        buffer.release();
      }
    }
    return List.copyOf(found);
  }
}
