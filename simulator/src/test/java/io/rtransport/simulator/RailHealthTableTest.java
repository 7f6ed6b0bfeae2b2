package io.rtransport.simulator;

import io.rtransport.core.text.PrintedTable;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The courses of health and share in docs/reference/health.md are those of the scenarios. */
class RailHealthTableTest {
  @TestFactory
  Stream<DynamicTest> shouldPrintTheCourses() {
    return Map.of(
            "lossy", RailHealthScenarios.lossyCourse(1),
            "killed", RailHealthScenarios.killedCourse(1),
            "flapping", RailHealthScenarios.flappingCourse(1))
        .entrySet()
        .stream()
        .map(entry -> DynamicTest.dynamicTest(entry.getKey(), () -> check(entry)));
  }

  private void check(Map.Entry<String, String> course) throws IOException {
    PrintedTable.check(getClass(), "reference/health.md", course.getKey(), course.getValue());
  }
}
