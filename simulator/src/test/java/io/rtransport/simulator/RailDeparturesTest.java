package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/** What RT does with several paths otherwise than LNet and RFC 10069, each by its scenario. */
class RailDeparturesTest {
  private static void hold(LongFunction<String> scenario) {
    assertThatCode(() -> scenario.apply(1)).doesNotThrowAnyException();
  }

  @Test
  void shouldResendUnderTheSameNumberOnAnotherPath() {
    hold(RailScenarios::railLost);
  }

  @Test
  void shouldJudgeLossByThePathsOwnTransmissions() {
    hold(RailScenarios::railsUnlike);
  }

  @Test
  void shouldAcknowledgeOnEachPathByWhichPacketsCame() {
    hold(RailScenarios::railsCrossed);
  }
}
