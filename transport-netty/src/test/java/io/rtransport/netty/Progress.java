package io.rtransport.netty;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Waits for long work, whose time is a matter of the machine, as long as it goes on. */
final class Progress {
  private static final long STANDSTILL_SECONDS = 20;

  private Progress() {}

  /**
   * Waits until it is done.
   *
   * @param moved what changes while it goes on
   * @throws org.awaitility.core.ConditionTimeoutException once that has not changed for 20 s
   */
  static void awaitDone(BooleanSupplier isDone, LongSupplier moved) {
    while (!isDone.getAsBoolean()) {
      long before = moved.getAsLong();
      await("it has come to " + before)
          .atMost(STANDSTILL_SECONDS, TimeUnit.SECONDS)
          .until(() -> isDone.getAsBoolean() || moved.getAsLong() != before);
    }
  }

  /** Waits until so many have come, likewise. */
  static void awaitCount(LongSupplier count, long all) {
    awaitDone(() -> count.getAsLong() == all, count);
  }
}
