package io.rtransport.loadgen.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.json.Json;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

/** The page is one well-formed document that needs nothing else, and shows what the report says. */
class HtmlReportTest {
  private static Map<String, Object> report(
      String transport, double perSecond, String retransmits) {
    return Comparison.object(
        Json.parse(
            """
            {"transport": "%s", "op": "echo", "sizeBytes": 64, "connections": 1, "ratePerSecond": 500, "seed": 1,
             "durationSeconds": 2.5, "io": "nio", "messagesPerSecond": %s, "megabytesPerSecond": 0.03, "lost": 0,
             "latencyMicros": {"p50": 10.5, "p90": 20, "p99": 300, "p999": 4000.25, "max": 5000},
             "percentiles": [{"percentile": 0, "micros": 8}, {"percentile": 50, "micros": 10.5},
                             {"percentile": 99, "micros": 300}, {"percentile": 99.95, "micros": 5000}],
             "intervals": [{"second": 0, "messages": 500, "p50": 10, "p99": 200, "max": 300},
                           {"second": 1, "messages": 0, "p50": null, "p99": null, "max": null},
                           {"second": 2, "messages": 250, "p50": 11, "p99": 300, "max": 5000}],
             "retransmits": %s, "spuriousRetransmits": 3,
             "impairment": {"by": "proxy", "loss": 0.01, "delayMicros": 50, "jitterMicros": 0, "reorder": 0,
                            "duplicate": 0, "corrupt": 0},
             "java": "17", "host": {"cores": 2, "kernel": "Linux <6>"}}
            """
                .formatted(transport, perSecond, retransmits)));
  }

  private static final String COUNTED =
      "{\"early\": 1234, \"probe\": 5, \"timeout\": 0, \"moved\": 0}";
  private static final String UNCOUNTED =
      "{\"early\": null, \"probe\": null, \"timeout\": null, \"moved\": null}";

  private static Document parsed(String page) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(page)));
  }

  private static List<String> titles(String page) throws Exception {
    List<String> titles = new ArrayList<>();
    var elements = parsed(page).getElementsByTagName("title");
    for (int i = 0; i < elements.getLength(); i++) {
      titles.add(elements.item(i).getTextContent());
    }
    return titles;
  }

  /** Every shape within its picture. */
  private static void assertInside(String page) {
    Matcher number = Pattern.compile("\\b(cx|cy|x|y|x1|x2|y1|y2)=\"([^\"]*)\"").matcher(page);
    int shapes = 0;
    while (number.find()) {
      shapes++;
      double limit = number.group(1).contains("x") ? 800 : 330;
      assertThat(Double.parseDouble(number.group(2))).as(number.group()).isBetween(0.0, limit);
    }
    assertThat(shapes).isPositive();
  }

  @Test
  void shouldShowARunWithNothingFromElsewhere() throws Exception {
    String page = HtmlReport.run(report("rt", 300, COUNTED));
    assertThat(page)
        .doesNotContain("http", "src=", "href", "<script", "url(", "@import")
        .contains("500 messages/s open loop", "loss 0.01", "Linux &lt;6&gt;", "10.5", "4,000.3")
        .contains(">1,234<", "99.9 %");
    assertThat(titles(page))
        .hasSize(5)
        .contains("rt load", "Latency by percentile", "Throughput over time");
    assertInside(page);
    assertThat(parsed(page).getElementsByTagName("circle").getLength())
        .as("4 percentiles, 2 seconds with latencies twice, 3 with a rate")
        .isEqualTo(4 + 4 + 3);
  }

  @Test
  void shouldMarkWhereARailWasKilledAndRestored() throws Exception {
    Map<String, Object> report = report("rt", 300, COUNTED);
    report.putAll(
        Comparison.object(
            Json.parse(
                """
                {"rails": [{}, {}],
                 "railEvents": [{"rail": 1, "kind": "kill:close", "atSeconds": 0.1},
                                {"rail": 1, "kind": "restore", "atSeconds": 2.5003}],
                 "latencyCourse": [{"millis": 0, "messages": 50, "p50": 10, "max": 200},
                                   {"millis": 100, "messages": 0, "p50": null, "max": null},
                                   {"millis": 200, "messages": 50, "p50": 11, "max": 90000}]}
                """)));
    String page = HtmlReport.run(report);
    assertThat(titles(page))
        .hasSize(6)
        .contains("Latency of rt while rails were killed and restored");
    assertThat(page).contains("2 rails", ">kill:close 1<", ">restore 1<", "max of each 100 ms");
    assertInside(page);
    assertThat(parsed(page).getElementsByTagName("circle").getLength())
        .as("as without, and 2 slots with latencies twice")
        .isEqualTo(4 + 4 + 3 + 4);
    report.put("latencyCourse", List.of());
    assertThat(HtmlReport.run(report)).contains("No latencies were measured around the kills");
  }

  @Test
  void shouldShowImpairmentThatDiffersByRail() {
    Map<String, Object> report = report("rt", 300, COUNTED);
    Comparison.object(report.get("impairment")).put("loss", null);
    Comparison.object(report.get("impairment")).put("delayMicros", null);
    assertThat(HtmlReport.run(report)).contains("loss by rail, delay by rail, jitter 0 µs");
  }

  @Test
  void shouldShowEachTransportsMediansAndItsMedianRound() throws Exception {
    Map<String, List<Map<String, Object>>> reports = new LinkedHashMap<>();
    reports.put(
        "rt",
        List.of(
            report("rt", 900, COUNTED.replace("1234", "111")),
            report("rt", 300, COUNTED.replace("1234", "222")),
            report("rt", 400, COUNTED.replace("1234", "333"))));
    reports.put("a<b&c", List.of(report("a<b&c", 100, UNCOUNTED)));
    String page = HtmlReport.comparison(Comparison.of(reports), reports);
    parsed(page);
    assertInside(page);
    assertThat(page)
        .contains("medians of 3 rounds", "a&lt;b&amp;c", ">333<", "<td>400</td>")
        .doesNotContain("a<b", ">111<", ">222<");
  }

  @Test
  void shouldSayWhatItHasNotMeasured() throws Exception {
    Map<String, Object> report = report("udp", 0, UNCOUNTED);
    report.put("percentiles", List.of());
    report.put("intervals", List.of());
    report.put("sizeBytes", null);
    report.put("ratePerSecond", null);
    report.put("latencyMicros", Map.of());
    String page = HtmlReport.run(report);
    assertThat(titles(page)).containsExactly("rt load");
    assertThat(page)
        .contains("No latencies", "No throughput", "None of these transports", "mixed sizes")
        .contains("closed loop", "<td>–</td>");
  }
}
