package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** Every flight recorder event and each of its own fields stands in docs/guide/watching.md. */
class FlightDocsTest {
  private static final Set<String> JDKS =
      Set.of("startTime", "duration", "eventThread", "stackTrace");

  @Test
  void shouldExplainEveryEventAndField() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "guide", "watching.md"));
    for (String name :
        List.of(
            "RetransmitEvent",
            "StallEvent",
            "CloseEvent",
            "SlowTransactionEvent",
            "PathEvent",
            "InterfaceEvent")) {
      Class.forName("io.rtransport.netty.flight." + name); // the recorder knows what is loaded
    }
    List<EventType> types =
        FlightRecorder.getFlightRecorder().getEventTypes().stream()
            .filter(type -> type.getName().startsWith("io.rtransport."))
            .toList();
    assertThat(types).hasSize(6);
    for (EventType type : types) {
      assertThat(page).contains("| `" + type.getName() + "` |");
      Set<String> fields =
          type.getFields().stream().map(ValueDescriptor::getName).collect(Collectors.toSet());
      fields.removeAll(JDKS);
      assertThat(fields).isNotEmpty().allSatisfy(f -> assertThat(page).contains("`" + f + "`"));
    }
  }
}
