package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails every test class of this module in which Netty's leak detection finds a buffer that nobody
 * released, its own or an earlier class's. JUnit finds it by itself. By whom the buffer was touched
 * last is in the message with {@code -Dsurefire.argLine=-Dio.netty.leakDetection.targetRecords=8}.
 */
public final class LeakWatch implements BeforeAllCallback, AfterAllCallback {
  /** The detector looks at what was collected when the next buffers are made. */
  private static final int BUFFERS = 20;

  /** What one collection has found the detector may hear of after it only. */
  private static final int COLLECTIONS = 3;

  private static final LinkedBlockingQueue<String> FOUND = new LinkedBlockingQueue<>();

  @Override
  public void beforeAll(ExtensionContext context) {
    assertThat(ResourceLeakDetector.getLevel()).isEqualTo(ResourceLeakDetector.Level.PARANOID);
    ByteBufUtil.setLeakListener((type, records) -> FOUND.add(type + ": " + records));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    for (int round = 0; round < COLLECTIONS; round++) {
      System.gc();
      for (int i = 0; i < BUFFERS; i++) {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.directBuffer(1);
        buffer.release();
      }
    }
    List<String> leaks = new ArrayList<>();
    FOUND.drainTo(leaks);
    assertThat(leaks).as("buffers that were never released").isEmpty();
  }
}
