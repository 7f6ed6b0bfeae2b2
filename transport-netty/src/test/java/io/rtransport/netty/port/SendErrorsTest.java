package io.rtransport.netty.port;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import io.rtransport.netty.namespace.Namespace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What each kind of socket says when the network is broken, as docs/reference/health.md has it. */
@Timeout(120)
class SendErrorsTest {
  private static final List<String> KINDS =
      List.of(
          "NIO, connected",
          "NIO",
          "epoll, connected",
          "epoll",
          "io_uring, connected",
          "io_uring",
          "the system says of our interface");

  @Test
  void shouldSeeWhatTheSystemSays() throws Exception {
    try (Namespace ours = Namespace.create();
        Namespace peers = Namespace.create()) {
      ours.join(
          peers,
          SendErrorsProbe.DEVICE,
          SendErrorsProbe.OURS + "/24",
          SendErrorsProbe.PEER + "/24");
      peers.set("net/ipv4/icmp_ratelimit", 0); // else it answers some datagrams only
      Process probe = ours.java(SendErrorsProbe.class, peers.name());
      String said = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(probe.waitFor(10, TimeUnit.SECONDS)).isTrue();
      assertThat(probe.exitValue()).as(said).isZero();
      List<String[]> rows = new ArrayList<>();
      for (String line : said.split("\n")) {
        rows.add(line.split("\\|"));
      }
      List<Column<String[]>> columns = new ArrayList<>();
      for (int i = 0; i < KINDS.size(); i++) {
        int cell = i + 1;
        columns.add(new Column<>(KINDS.get(i), row -> row[cell]));
      }
      String table = PrintedTable.of("what is broken", rows, row -> row[0], columns);
      PrintedTable.check(getClass(), "reference/health.md", "send errors", table);
    }
  }
}
