package io.rtransport.netty;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests of one class until one fails: for {@code .ci/canaries}, with a patched class before ours. Exit code 0: all have passed; 1: one has
 * failed, and the line says why; 2: there were none.
 */
public final class CanaryMain {
  private CanaryMain() {}

  /** {@code arguments}: the class, by its simple name. */
  public static void main(String[] arguments) {
    String name = CanaryMain.class.getPackageName() + '.' + arguments[0];
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(name))
                .build(),
            new FirstFailure());
  }

  private static final class FirstFailure implements TestExecutionListener {
    private int passed;

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
      if (result.getStatus() == Status.FAILED) {
        String why = result.getThrowable().map(Throwable::toString).orElse("");
        System.out.println("FAILED " + test.getLegacyReportingName() + ": " + oneLine(why));
        Runtime.getRuntime().halt(1);
      }
      passed += test.isTest() && result.getStatus() == Status.SUCCESSFUL ? 1 : 0;
    }

    @Override
    public void testPlanExecutionFinished(TestPlan plan) {
      System.out.println("passed " + passed);
      Runtime.getRuntime().halt(passed > 0 ? 0 : 2);
    }

    private static String oneLine(String text) {
      return text.replaceAll("\\s+", " ");
    }
  }
}
