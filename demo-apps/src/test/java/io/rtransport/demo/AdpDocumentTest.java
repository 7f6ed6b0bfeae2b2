package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.AdpRange;
import io.rtransport.core.adp.AdpTimeline;
import io.rtransport.core.adp.AdpTimeline.Step;
import io.rtransport.core.adp.BuiltInProfiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What docs/reference/adp.md shows of the built-in profiles is made here: a figure each in
 * docs/figures, and the two tables between its {@code generated} marks. With {@code
 * -Drt.docs.write=true} (-Dsurefire.argLine) the test writes them; without, it compares.
 */
class AdpDocumentTest {
  private static final boolean IS_WRITING = Boolean.getBoolean("rt.docs.write");
  private static final int ROWS = 8;
  private static final int FOR_EVER = 10_000;

  /** Without it, the cap of the default would hide most of lossy and wan. */
  private static final int ACK_TIMEOUT_LONG = 18;

  private final Path docs = Path.of("").toAbsolutePath().getParent().resolve("docs");

  private static AdpParameters parameters(String name) {
    AdpParameters strict = AdpParameters.DEFAULT.withStrictProfile(true);
    return BuiltInProfiles.byName(name).range(0).lowBound() < 13
        ? strict
        : strict.withAckTimeout(ACK_TIMEOUT_LONG);
  }

  private static AdpTimeline timeline(String name) {
    AdpProfile profile = BuiltInProfiles.byName(name);
    return AdpTimeline.drive(
        profile, parameters(name), profile.initLowBound(), "T".repeat(FOR_EVER), 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "lan", "lossy", "wan"})
  void shouldShowTheFigureThatTheCodeDraws(String name) throws IOException {
    AdpProfile profile = BuiltInProfiles.byName(name);
    AdpTimeline timeline = timeline(name);
    List<Step> wayBack =
        AdpTimeline.wayBack(profile, parameters(name), profile.initLowBound(), timeline);
    String drawn = AdpSvg.draw(name, profile, parameters(name), timeline, wayBack);
    Path figure = docs.resolve("figures/adp-" + name + ".svg");
    if (IS_WRITING) {
      Files.createDirectories(figure.getParent());
      Files.writeString(figure, drawn);
    }
    assertThat(Files.readString(figure)).as("write it with -Drt.docs.write=true").isEqualTo(drawn);
    assertThat(Files.readString(docs.resolve("reference/adp.md")))
        .contains("(../figures/adp-" + name + ".svg)");
  }

  @Test
  void shouldShowTheRangesOfTheBuiltInProfiles() throws IOException {
    StringBuilder table =
        new StringBuilder(
            "| profile | range | exponents | values | tries a value | way down | gives up after |\n"
                + "|---|---|---|---|---|---|---|\n");
    for (String name : BuiltInProfiles.names()) {
      AdpProfile profile = BuiltInProfiles.byName(name);
      int low = profile.initLowBound();
      int high = profile.initHighBound();
      table.append(
          row(
              "`" + name + "`",
              "first",
              low + "–" + high,
              values(profile, low, high),
              "1",
              "",
              AdpTables.time(profile.totalNs(AdpParameters.DEFAULT))
                  + " (4 µs << "
                  + profile.retxTotalTimeout()
                  + ")"));
      for (int i = 0; i < profile.rangeCount(); i++) {
        AdpRange range = profile.range(i);
        table.append(
            row(
                "",
                Integer.toString(i),
                range.lowBound() + "–" + range.top(),
                values(profile, range.lowBound(), range.top()),
                Integer.toString(range.retryNum()),
                range.decMode() + (i == 0 ? "" : ", then range " + range.prevRangeIndex()),
                ""));
      }
    }
    assertGenerated("ranges", table.toString());
  }

  private static String values(AdpProfile profile, int low, int high) {
    List<String> values = new ArrayList<>();
    for (int exponent = low; exponent <= high; exponent++) {
      values.add(AdpTables.time(profile.timeNs(exponent)));
    }
    return String.join(", ", values);
  }

  @Test
  void shouldShowTheTimelinesOfTheBuiltInProfiles() throws IOException {
    List<String> names = List.copyOf(BuiltInProfiles.names());
    StringBuilder table =
        new StringBuilder(
            "| attempt | "
                + names.stream()
                    .map(n -> n + ", ack_timeout " + parameters(n).ackTimeout() + " | elapsed")
                    .collect(Collectors.joining(" | "))
                + " |\n|---|"
                + "---|---|".repeat(names.size())
                + "\n");
    for (int i = 0; i < ROWS; i++) {
      table.append("| ").append(i + 1).append(" |");
      for (String name : names) {
        table.append(attempt(timeline(name), i));
      }
      table.append('\n');
    }
    table.append("| last, cut off at the total |");
    for (String name : names) {
      int last = timeline(name).steps().size() - 2;
      table.append(" no. ").append(last + 1).append(":").append(attempt(timeline(name), last));
    }
    assertGenerated("timelines", table.append('\n').toString());
  }

  private static String attempt(AdpTimeline timeline, int index) {
    long elapsedNs = timeline.steps().get(index + 1).noProgressNs();
    return " "
        + AdpTables.time(timeline.steps().get(index).timeoutNs())
        + " | "
        + AdpTables.time(Math.min(timeline.totalNs(), elapsedNs))
        + " |";
  }

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }

  private void assertGenerated(String mark, String expected) throws IOException {
    Path page = docs.resolve("reference/adp.md");
    String text = Files.readString(page);
    String begin = "<!-- generated: " + mark + " -->\n\n";
    String end = "\n<!-- end of " + mark + " -->";
    int from = text.indexOf(begin) + begin.length();
    int to = text.indexOf(end);
    assertThat(from).as("the mark " + begin).isGreaterThanOrEqualTo(begin.length());
    assertThat(to).as("the mark " + end).isGreaterThanOrEqualTo(from);
    if (IS_WRITING) {
      Files.writeString(page, text.substring(0, from) + expected + text.substring(to));
    }
    assertThat(Files.readString(page).substring(from))
        .as("write it with -Drt.docs.write=true")
        .startsWith(expected + end);
  }
}
