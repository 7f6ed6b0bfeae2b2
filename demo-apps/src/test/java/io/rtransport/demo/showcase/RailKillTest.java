package io.rtransport.demo.showcase;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.demo.initiator.PushedFile;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** What the demo says of the rail that it killed. */
class RailKillTest {
  private static final PushedFile FILE =
      new PushedFile(
          "big", Path.of("big"), RailKill.FILE_BYTES_MIN, null, PushedFile.End.STORED, null, 1);

  private Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
  private final RailKill kill =
      RailKill.of(
          new FaultInjectionHandler(Faults.loss(0), Faults.loss(0), 1),
          () -> counts,
          List.of(FILE));

  /** Pulls the file; {@code duringDark} runs while its rail is dark. */
  private void pull(Runnable duringDark) {
    LongConsumer written = kill.watch(FILE, bytes -> {});
    written.accept(FILE.sizeBytes() / 2);
    duringDark.run();
    written.accept(FILE.sizeBytes() / 2);
    kill.onPulled(FILE);
  }

  @Test
  void shouldSayThatTheKillWasNotNoticed() {
    counts.put(CounterId.PATHS_OPENED, 1L);
    counts.put(CounterId.PATHS_SUSPECTED, 3L);
    counts.put(CounterId.PATHS_RETURNED, 4L);
    pull(() -> {});
    assertThat(kill.awaitsReturn()).isFalse();
    assertThat(kill.line(0)).endsWith("; THE KILL WAS NOT NOTICED: this side suspected no path");
    assertThat(kill.json(0)).containsEntry("noticed", false).containsEntry("returnedMillis", null);
  }

  @Test
  void shouldSayThatTheRailDidNotComeBackAndThatItDid() {
    pull(() -> counts.put(CounterId.PATHS_SUSPECTED, 1L));
    assertThat(kill.awaitsReturn()).isTrue();
    assertThat(kill.line(0)).endsWith("; not seen to come back");
    assertThat(kill.json(0)).containsEntry("noticed", true).containsEntry("returnedMillis", null);
    counts.put(CounterId.PATHS_RETURNED, 1L);
    assertThat(kill.awaitsReturn()).isFalse();
    assertThat(kill.line(0)).contains("; back ").endsWith(" later");
  }

  @Test
  void shouldSeeANoticeThatComesAfterThePull() {
    pull(() -> {});
    counts.put(CounterId.PATHS_SUSPECTED, 1L);
    assertThat(kill.awaitsReturn()).isTrue();
    assertThat(kill.json(0)).containsEntry("noticed", true);
  }

  @Test
  void shouldClaimNothingWhereCountersCannotBeRead() {
    counts = null;
    pull(() -> {});
    assertThat(kill.awaitsReturn()).isFalse();
    assertThat(kill.line(0)).endsWith("; not seen to come back");
    assertThat(kill.json(0)).containsEntry("noticed", null);
  }
}
