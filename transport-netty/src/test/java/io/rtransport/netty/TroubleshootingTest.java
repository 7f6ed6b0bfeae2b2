package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * docs/guide/troubleshooting.md knows every counter that says that something is wrong, and names
 * none that is not there.
 */
class TroubleshootingTest {
  /** What a healthy connection counts; every other counter is to be explained. */
  private static final Set<CounterId> ORDINARY =
      EnumSet.of(
          CounterId.DATAGRAMS_SENT,
          CounterId.DATAGRAMS_RECEIVED,
          CounterId.PACKETS_NUMBERED_SENT,
          CounterId.PACKETS_NUMBERED_RECEIVED,
          CounterId.ACKS_SENT,
          CounterId.ACKS_RECEIVED,
          CounterId.PINGS_SENT,
          CounterId.PONGS_RECEIVED,
          CounterId.REQUESTS_SOLICITED,
          CounterId.GRANTS_SENT,
          CounterId.GRANTS_RECEIVED,
          CounterId.TRANSACTIONS_COMPLETED,
          CounterId.REQUESTS_DELIVERED,
          CounterId.MESSAGE_BYTES_SENT,
          CounterId.MESSAGE_BYTES_RECEIVED,
          CounterId.CONNECTS_SENT,
          CounterId.CONNECTS_RECEIVED,
          CounterId.CONNECTIONS_ESTABLISHED,
          CounterId.CONNECTIONS_CLOSED);

  private static String page() throws Exception {
    return Files.readString(Path.of("..", "docs", "guide", "troubleshooting.md"));
  }

  @Test
  void shouldExplainEveryCounterThatSaysThatSomethingIsWrong() throws Exception {
    String page = page();
    for (CounterId id : EnumSet.complementOf(EnumSet.copyOf(ORDINARY))) {
      assertThat(page)
          .as(
              "%s: %s Add it to docs/guide/troubleshooting.md, or to the ordinary ones here",
              id, id.sentence())
          .contains("`" + id + "`");
    }
  }

  @Test
  void shouldNameNothingThatIsNotThere() throws Exception {
    Set<String> known = new TreeSet<>();
    for (CounterId id : CounterId.values()) {
      known.add(id.name());
    }
    for (CloseCode code : CloseCode.values()) {
      known.add(code.name());
    }
    for (var field : RtChannelOption.class.getFields()) {
      known.add(field.getName());
    }
    known.addAll(Set.of("UNKNOWN", "CONNECT_TIMEOUT_MILLIS", "ADDR"));
    Matcher name = Pattern.compile("`([A-Z]+(?:_[A-Z]+)*)`").matcher(page());
    Set<String> unknown = new TreeSet<>();
    while (name.find()) {
      if (!known.contains(name.group(1))) {
        unknown.add(name.group(1));
      }
    }
    assertThat(unknown).isEmpty();
  }
}
