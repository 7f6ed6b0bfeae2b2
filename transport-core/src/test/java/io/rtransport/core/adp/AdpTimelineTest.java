package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.core.json.Json;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class AdpTimelineTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();

  static List<JsonNode> timelines() throws IOException {
    try (InputStream in = AdpTimelineTest.class.getResourceAsStream("/vectors/adp-timeline.json")) {
      List<JsonNode> nodes = new ArrayList<>();
      JACKSON.readTree(in).get("timelines").forEach(nodes::add);
      return nodes;
    }
  }

  @ParameterizedTest
  @MethodSource("timelines")
  void shouldGiveTheGoldenTimelines(JsonNode golden) throws IOException {
    AdpParameters parameters =
        AdpParameters.DEFAULT
            .withStrictProfile(true)
            .withAckTimeout(golden.get("ackTimeout").asInt())
            .withRetryCount(golden.get("retryCount").asInt());
    AdpTimeline timeline =
        AdpTimeline.drive(
            AdpProfileJson.parse(golden.get("profile").toString()).profile(),
            parameters,
            golden.get("initialExponent").asInt(),
            golden.get("events").asText(),
            0);
    JsonNode written = JACKSON.readTree(Json.write(timeline.toMap()));
    assertThat(written.get("steps")).isEqualTo(golden.get("steps"));
    assertThat(written.get("totalMicros")).isEqualTo(golden.get("totalMicros"));
    assertThat(written.get("end")).isEqualTo(golden.get("end"));
    assertThat(written).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"t", "TX", "T P", "TP,"})
  void shouldRefuseOtherEvents(String events) {
    assertThatThrownBy(
            () -> AdpTimeline.drive(BuiltInProfiles.LAN, AdpParameters.DEFAULT, 10, events, 0))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("events=" + events);
  }

  @Test
  void shouldHaveOneStepWithoutEvents() {
    AdpTimeline timeline = AdpTimeline.drive(BuiltInProfiles.LAN, AdpParameters.DEFAULT, 10, "", 0);
    assertThat(timeline.steps()).hasSize(1);
    assertThat(timeline.end()).isEqualTo(AdpTimeline.End.RUNNING);
  }

  @Test
  void shouldNotOverflowWhenValuesSaturate() {
    AdpProfile huge =
        AdpProfile.builder()
            .retxTotalTimeout(255)
            .initLowBound(255)
            .range(255, 255, 1, DecMode.DIV_2, 0)
            .build();
    AdpParameters strict = AdpParameters.DEFAULT.withAckTimeout(0).withStrictProfile(true);
    AdpTimeline timeline = AdpTimeline.drive(huge, strict, 255, "TT", 0);
    assertThat(timeline.steps()).hasSize(2);
    assertThat(timeline.steps().get(1).noProgressNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(timeline.end()).isEqualTo(AdpTimeline.End.RETRY_EXCEEDED);
  }

  @Test
  void shouldShowTheFloorWhereAsked() {
    AdpTimeline timeline =
        AdpTimeline.drive(
            BuiltInProfiles.LAN, AdpParameters.DEFAULT, 10, "TTT", AdpTimer.FLOOR_UNSAMPLED_NS);
    assertThat(timeline.steps())
        .extracting(AdpTimeline.Step::timeoutNs)
        .containsExactly(100_000_000L, 200_000_000L, 400_000_000L, 800_000_000L);
  }

  @Test
  void shouldWriteMicrosecondsWithoutLoss() {
    assertThat(AdpTimeline.micros(0)).isEqualTo(0L);
    assertThat(AdpTimeline.micros(4_000)).isEqualTo(4L);
    assertThat(AdpTimeline.micros(67_108_864)).hasToString("67108.864");
    assertThat(AdpTimeline.micros(8_192_100)).hasToString("8192.1");
    assertThat(AdpTimeline.micros(Long.MAX_VALUE)).hasToString("9223372036854775.807");
  }
}
