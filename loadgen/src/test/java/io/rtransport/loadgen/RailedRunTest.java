package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** Real runs, short ones, over several rails, of which one is killed and restored. */
class RailedRunTest extends ShortRuns {
  /** Without delay nothing is on its way at the end. */
  private static void assertAccounted(JsonNode proxy) {
    for (String direction : new String[] {"out", "back"}) {
      JsonNode counts = proxy.get(direction);
      long came = counts.get("received").asLong() + counts.get("duplicated").asLong();
      long went = counts.get("forwarded").asLong();
      for (String cause : new String[] {"droppedImpairment", "droppedQueue", "droppedDark"}) {
        went += counts.get(cause).asLong();
      }
      assertThat(went).as(proxy.toString()).isEqualTo(came);
    }
    assertThat(proxy.get("forwardedWhileDark").asLong()).isZero();
  }

  private static long droppedDark(JsonNode report) {
    return report.get("railProxies").get(0).get("out").get("droppedDark").asLong();
  }

  /** Of the client, from the opening of each path on. */
  private static long resendsOfRails(JsonNode report) {
    long sum = 0;
    for (JsonNode rail : report.get("rails")) {
      sum += rail.get("resends").asLong(-1);
    }
    return sum;
  }

  @Test
  void shouldTellWhatEachRailCarriedAndWhenOneWasDark() throws Exception {
    JsonNode report =
        runUntil(
            each -> droppedDark(each) > 0, // else the rail was under suspicion anyway
            "load --profile wan --rails 2 --loss 0.01@1 --kill-rail 0@300ms"
                + " --restore-rail 0@1300ms --rate 500 --warmup 300ms --html "
                + directory.resolve("page.html"),
            "2s",
            "2s",
            "2s",
            "2s");
    assertKeys(report);
    assertNothingWrong(report);
    assertThat(report.get("rails")).hasSize(2);
    double shares = 0;
    for (JsonNode rail : report.get("rails")) {
      assertThat(rail.get("nid").asText()).startsWith("127.0.0.1:");
      assertThat(rail.get("health").asInt(-1)).isBetween(0, 1_000);
      shares += rail.get("share").asDouble();
    }
    assertThat(resendsOfRails(report)).isPositive(); // with the warm-up's: no bound above
    assertThat(shares).isBetween(0.999, 1.001);
    JsonNode proxies = report.get("railProxies");
    assertThat(proxies).hasSize(2);
    assertAccounted(proxies.get(0));
    assertAccounted(proxies.get(1));
    JsonNode killed = proxies.get(0);
    assertThat(killed.get("rail").asInt()).isZero();
    assertThat(killed.get("out").get("forwarded").asLong()).isPositive();
    assertThat(killed.get("out").get("droppedDark").asLong()).isPositive();
    assertThat(proxies.get(1).get("out").get("droppedDark").asLong()).isZero();
    JsonNode course = report.get("railCourse");
    assertThat(course).hasSizeGreaterThan(5); // of two seconds and what a run needs to end
    long received = 0;
    for (JsonNode step : course) {
      assertThat(step.get("toSeconds").asDouble()).isPositive();
      assertThat(step.get("received")).hasSize(2);
      received += step.get("received").get(0).asLong() + step.get("received").get(1).asLong();
    }
    assertThat(received).isPositive();
    JsonNode events = report.get("railEvents");
    assertThat(events).hasSize(2);
    assertThat(events.get(0).get("kind").asText()).isEqualTo("kill");
    assertThat(events.get(0).get("atSeconds").asDouble()).isGreaterThanOrEqualTo(0.3);
    assertThat(events.get(1).get("kind").asText()).isEqualTo("restore");
    assertThat(events.get(1).get("atSeconds").asDouble()).isGreaterThanOrEqualTo(1.3);
    long due = 0;
    for (JsonNode slot : report.get("latencyCourse")) {
      due += slot.get("messages").asLong();
    }
    assertThat(report.get("latencyCourse")).hasSize(20);
    assertThat(due).isEqualTo(1_000);
    assertThat(Files.readString(directory.resolve("page.html")))
        .contains("Latency of rt while rails were killed", ">kill 0<", ">restore 0<");
    JsonNode impairment = report.get("impairment");
    assertThat(impairment.get("loss").isNull()).as("rails differ").isTrue();
    assertThat(impairment.get("rails").get(0).get("loss").asDouble()).isZero();
    assertThat(impairment.get("rails").get(1).get("loss").asDouble()).isEqualTo(0.01);
  }

  @Test
  void shouldKillTheOnlyRailOfAnotherTransport() throws Exception {
    JsonNode report =
        runUntil(
            each -> droppedDark(each) > 0, // else all was sent before the kill
            "load --transport udp --op push --kill-rail 0@200ms:out --rate 500 --warmup 0s",
            "500ms",
            "5s");
    assertThat(report.get("rails").get(0).get("share").asDouble()).isEqualTo(1);
    JsonNode proxy = report.get("railProxies").get(0);
    assertThat(proxy.get("out").get("droppedDark").asLong()).isPositive();
    assertThat(proxy.get("back").get("droppedDark").asLong()).isZero();
    assertThat(report.get("lost").asLong()).isPositive();
    assertThat(report.get("impairment").get("by").isNull()).isTrue();
  }

  @Test
  void shouldHaveNoRailsWithoutProxies() throws Exception {
    JsonNode report = run(0, "load --transport tcp --rate 200 --warmup 0s --duration 200ms");
    assertThat(report.get("rails").isNull()).isTrue();
    assertThat(report.get("railProxies").isNull()).isTrue();
    assertThat(report.get("railEvents").isNull()).isTrue();
    assertThat(report.get("latencyCourse").isNull()).isTrue();
  }
}
