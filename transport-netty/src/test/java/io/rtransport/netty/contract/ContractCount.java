package io.rtransport.netty.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/**
 * Counts what the contract tests have shown, and prints it after each class; the last line printed
 * is the whole suite's count. Holds a class to the differences that it is to prove too: each must
 * have been seen on both sides.
 */
final class ContractCount implements TestWatcher, AfterAllCallback {
  private static int suiteTests;
  private static int suiteRuns;
  private static int suitePassed;
  private int runs;
  private int passed;
  private int skipped;

  @Override
  public void testSuccessful(ExtensionContext context) {
    runs++;
    passed++;
  }

  @Override
  public void testAborted(ExtensionContext context, Throwable cause) {
    skipped++;
  }

  @Override
  public void testFailed(ExtensionContext context, Throwable cause) {
    runs++;
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Class<?> type = context.getRequiredTestClass();
    int tests =
        (int)
            Arrays.stream(type.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Contract.class))
                .count();
    int transports = Transport.values().length;
    print(type, tests, transports);
    if (passed + skipped == tests * transports) { // the whole class was run
      for (Difference difference : Difference.values()) {
        if (difference.provenIn() == type) {
          Set<Transport> seen = difference.seen();
          assertThat(seen)
              .as("transports over which %s was asserted", difference)
              .isEqualTo(EnumSet.allOf(Transport.class));
        }
      }
    }
  }

  private void print(Class<?> type, int tests, int transports) {
    synchronized (ContractCount.class) {
      suiteTests += tests;
      suiteRuns += runs;
      suitePassed += passed;
      System.out.printf(
          "contract: %s %d tests x %d transports: %d of %d passed, %d skipped; so far in this JVM %d tests, %d of %d runs passed%n",
          type.getSimpleName(),
          tests,
          transports,
          passed,
          runs,
          skipped,
          suiteTests,
          suitePassed,
          suiteRuns);
    }
  }
}
