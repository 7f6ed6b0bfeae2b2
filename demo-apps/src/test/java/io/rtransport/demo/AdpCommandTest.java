package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.core.adp.AdpProfileJson;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.netty.control.ControlSocket;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/**
 * {@code rt adp} as a user meets it: exit status, what stands on stdout and stderr, and the files
 * it writes.
 */
class AdpCommandTest {
  private static final ObjectMapper JACKSON = new ObjectMapper();
  private static final String GOLDEN =
      """
      {"timeUnit":1,"timeBase":4,"qpTotalTimeout":false,"retxTotalTimeout":20,
       "timeoutInitLowBound":2,"timeoutInitRangeSize":1,"startRangeIndex":0,
       "ranges":[
         {"lowBound":4,"size":2,"retryNum":2,"decMode":"DIV_2","prevRangeIndex":0},
         {"lowBound":7,"size":2,"retryNum":1,"decMode":"LOW_BOUND","prevRangeIndex":0}]}
      """;
  private static final String GOLDEN_HEX =
      "10000001100000010000000000000000" + "20400004140002010402040208010702" + "0".repeat(64);

  @TempDir Path directory;
  private String golden;
  private String out;
  private String err;

  @BeforeEach
  void writeProfile() throws IOException {
    golden = file("golden.json", GOLDEN);
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  private int run(String... args) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine commandLine = RtCommand.commandLine();
    commandLine.setOut(new PrintWriter(outText, true));
    commandLine.setErr(new PrintWriter(errText, true));
    String[] all = new String[args.length + 1];
    all[0] = "adp";
    System.arraycopy(args, 0, all, 1, args.length);
    int status = commandLine.execute(all);
    out = outText.toString();
    err = errText.toString();
    return status;
  }

  private void assertRefused(String... mentioned) {
    assertThat(out).isEmpty();
    assertThat(err.lines()).hasSize(1);
    assertThat(err).contains(mentioned);
  }

  @Test
  void shouldDriveTheGoldenExampleAndWriteItsJson() throws IOException {
    Path json = directory.resolve("steps.json");
    int status =
        run(
            "explain",
            "--profile",
            golden,
            "--initial-exponent",
            "2",
            "--events",
            "TTTTTTTTPPP",
            "--ack-timeout",
            "0",
            "--json",
            json.toString());
    assertThat(status).as(err).isZero();
    assertThat(out).contains("RUNNING");
    JsonNode root = JACKSON.readTree(json.toFile());
    assertThat(root.fieldNames()).toIterable().containsExactly("steps", "totalMicros", "end");
    assertThat(root.get("totalMicros").asLong()).isEqualTo(4L << 20);
    assertThat(root.get("end").asText()).isEqualTo("RUNNING");
    assertThat(root.get("steps").findValuesAsText("timeoutMicros"))
        .containsExactly(
            "16", "64", "64", "128", "128", "256", "256", "512", "1024", "512", "256", "128");
    assertThat(root.get("steps").findValuesAsText("noProgressMicros"))
        .containsExactly("0", "16", "80", "144", "272", "400", "656", "912", "1424", "0", "0", "0");
    assertThat(root.get("steps").findValuesAsText("event"))
        .startsWith("start", "timeout")
        .endsWith("timeout", "progress", "progress", "progress");
    assertThat(root.get("steps").get(0).get("range").isNull()).isTrue();
    assertThat(root.get("steps").get(8).get("range").asInt()).isEqualTo(1);
    assertThat(root.get("steps").get(0).fieldNames())
        .toIterable()
        .containsExactly("event", "range", "exponent", "timeoutMicros", "noProgressMicros");
  }

  @Test
  void shouldListTheTimeoutThatReachesTheTotalWithNull() throws IOException {
    String profile =
        file("short.json", GOLDEN.replace("\"retxTotalTimeout\":20", "\"retxTotalTimeout\":5"));
    Path json = directory.resolve("steps.json");
    assertThat(
            run("explain", "--profile", profile, "--events", "TTTTTT", "--json", json.toString()))
        .isZero();
    JsonNode root = JACKSON.readTree(json.toFile());
    // 16 + 64 = 80, + 64 = 144 >= 128
    assertThat(root.get("steps")).hasSize(4);
    assertThat(root.get("steps").get(3).get("timeoutMicros").isNull()).isTrue();
    assertThat(root.get("steps").get(3).get("noProgressMicros").asInt()).isEqualTo(144);
    assertThat(root.get("end").asText()).isEqualTo("RETRY_EXCEEDED");
    assertThat(out).contains("RETRY_EXCEEDED");
  }

  @Test
  void shouldEndWhereAckTimeoutTimesRetryCountIsTheTotal() throws IOException {
    String profile = file("qp.json", GOLDEN.replace("false", "true"));
    Path json = directory.resolve("steps.json");
    String[] args = {
      "explain",
      "--profile",
      profile,
      "--events",
      "TTTTTTTTTTTTTTTTTTTT",
      "--ack-timeout",
      "4",
      "--retry-count",
      "2",
      "--json",
      json.toString()
    };
    assertThat(run(args)).isZero();
    JsonNode root = JACKSON.readTree(json.toFile());
    assertThat(root.get("totalMicros").asText()).isEqualTo("131.072");
    // 16 + 64 + 64 >= 131.072
    assertThat(root.get("steps")).hasSize(4);

    assertThat(run("explain", "--profile", profile, "--ack-timeout", "0")).isEqualTo(2);
    assertRefused("qp_total_timeout", "ack_timeout=0", "1..31");
  }

  @ParameterizedTest
  @ValueSource(strings = {"loopback", "lan", "lossy", "wan"})
  void shouldExplainEveryBuiltInProfile(String name) throws Exception {
    Path svg = directory.resolve("p.svg");
    Path json = directory.resolve("p.json");
    assertThat(
            run("explain", "--profile", name, "--svg", svg.toString(), "--json", json.toString()))
        .isZero();
    assertThat(out).contains("attempt  range  exponent", "progress", "RETRY_EXCEEDED");
    JsonNode root = JACKSON.readTree(json.toFile());
    assertThat(root.get("end").asText()).isEqualTo("RETRY_EXCEEDED");
    JsonNode last = root.get("steps").get(root.get("steps").size() - 1);
    assertThat(last.get("noProgressMicros").asDouble())
        .isGreaterThanOrEqualTo(root.get("totalMicros").asDouble());
    assertThat(
            DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(svg.toFile())
                .getDocumentElement()
                .getTagName())
        .isEqualTo("svg");
  }

  @Test
  void shouldSayThatATimelineGoesOn() throws IOException {
    String profile =
        file("endless.json", GOLDEN.replace("\"retxTotalTimeout\":20", "\"retxTotalTimeout\":255"));
    assertThat(run("explain", "--profile", profile)).isZero();
    assertThat(out).contains("and so on until the total of for ever");
  }

  @Test
  void shouldShowTheFloor() {
    assertThat(run("explain", "--profile", "lan", "--floor", "100ms")).isZero();
    assertThat(out)
        .contains("100.00 ms", "200.00 ms", "400.00 ms", "800.00 ms", "above a floor of 100.00 ms");
  }

  @Test
  void shouldExplainATimerThatDoesNotAdapt() throws IOException {
    Path json = directory.resolve("steps.json");
    assertThat(
            run(
                "explain",
                "--profile",
                "lan",
                "--fixed",
                "--ack-timeout",
                "10",
                "--events",
                "TTPT",
                "--json",
                json.toString()))
        .as(err)
        .isZero();
    assertThat(out).contains("roce_adp_retrans_en = 0", "ack_timeout 10, 4.19 ms, always");
    assertThat(JACKSON.readTree(json.toFile()).get("steps").findValuesAsText("timeoutMicros"))
        .containsOnly("4194.304")
        .hasSize(5);
    assertThat(run("explain", "--profile", "lan", "--fixed", "--ack-timeout", "0")).isEqualTo(2);
    assertRefused("roce_adp_retrans_en=0", "ack_timeout", "1..31");
  }

  @Test
  void shouldPrintTheSameTableInEveryLocale() {
    assertThat(run("explain", "--profile", "lan")).isZero();
    String inThisLocale = out;
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
      assertThat(run("explain", "--profile", "lan")).isZero();
      assertThat(out).isEqualTo(inThisLocale).contains("attempt", "65.54 ms");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void shouldEncodeAnotherIdAndAdaptationOff() {
    assertThat(run("encode", "--profile", golden, "--id", "7", "--fixed")).isZero();
    assertThat(out.strip()).isEqualTo("1000000170000000" + GOLDEN_HEX.substring(16));
    for (String id : new String[] {"0", "8", "x"}) {
      assertThat(run("encode", "--profile", golden, "--id", id)).isEqualTo(2);
      assertRefused("--id=" + id, "1..7");
    }
  }

  @Test
  void shouldEncodeAndDecode() throws IOException {
    assertThat(run("encode", "--profile", golden)).isZero();
    assertThat(out).isEqualTo(GOLDEN_HEX + System.lineSeparator());
    assertThat(run("decode", "--hex", GOLDEN_HEX.toUpperCase())).isZero();
    assertThat(JACKSON.readTree(out)).isEqualTo(JACKSON.readTree(GOLDEN));
    Path json = directory.resolve("out.json");
    assertThat(run("decode", "--hex", GOLDEN_HEX, "--json", json.toString())).isZero();
    assertThat(Files.readString(json)).isEqualTo(out);
    assertThat(run("encode", "--profile", json.toString(), "--json", json.toString())).isZero();
    assertThat(JACKSON.readTree(json.toFile()).get("hex").asText()).isEqualTo(GOLDEN_HEX);
  }

  @Test
  void shouldReadADumpAndPropertiesAsAProfile() throws IOException {
    String dump = file("p.hex", GOLDEN_HEX);
    assertThat(run("encode", "--profile", dump)).isZero();
    assertThat(out.strip()).isEqualTo(GOLDEN_HEX);
    String properties =
        file(
            "p.properties",
            "timeBase=4\nretxTotalTimeout=20\ntimeoutInitLowBound=2\ntimeoutInitRangeSize=1\n"
                + "ranges.0.lowBound=4\nranges.0.size=2\nranges.0.retryNum=2\nranges.0.decMode=DIV_2\n"
                + "ranges.1.lowBound=7\nranges.1.size=2\nranges.1.retryNum=1\nranges.1.decMode=LOW_BOUND\n");
    assertThat(run("encode", "--profile", properties)).isZero();
    assertThat(out.strip()).isEqualTo(GOLDEN_HEX);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--initial-exponent|1|2..2",
        "--initial-exponent|3|2..2",
        "--initial-exponent|x|2..2",
        "--ack-timeout|32|0..31",
        "--ack-timeout|-1|0..31",
        "--retry-count|8|0..7",
        "--extended-retry-count|256|0..255",
        "--events|TTx|T (timeout) and P (progress)",
        "--floor|1|duration",
        "--svg|/nowhere/at/all.svg|directory that exists",
        "--json|/nowhere/at/all.json|directory that exists"
      })
  void shouldRefuseAWrongOptionInOneLine(String option, String value, String valid) {
    assertThat(run("explain", "--profile", golden, option, value)).isEqualTo(2);
    assertThat(err.lines()).hasSize(1);
    assertThat(err).contains(option.replace("--events", "events"), value, valid);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"timeBase\":4|\"timeBase\":5|timeBase|=5|a power of two, 4..32768",
        "\"timeBase\":4|\"time_base\":4|unknown key time_base|=4|timeBase",
        "\"lowBound\":7|\"lowBound\":4|ranges[1].lowBound|=4|5..255",
        "\"lowBound\":7|\"lowBound\":7,|JSON|line 5|key in double quotes",
        "LOW_BOUND|DIV_8|ranges[1].decMode|DIV_8|LOW_BOUND"
      })
  void shouldRefuseAWrongProfileFileInOneLine(
      String from, String to, String field, String value, String valid) throws IOException {
    String bad = file("bad.json", GOLDEN.replace(from, to));
    for (String command : new String[] {"explain", "encode"}) {
      assertThat(run(command, "--profile", bad)).isEqualTo(2);
      assertRefused(field, value, valid);
    }
  }

  @Test
  void shouldRefuseAFileThatIsNotThereOrTooLong() throws IOException {
    assertThat(run("encode", "--profile", directory.resolve("none").toString())).isEqualTo(2);
    assertRefused("none", "loopback, lan, lossy, wan");
    assertThat(run("encode", "--profile", directory.toString())).isEqualTo(2);
    assertRefused("loopback, lan, lossy, wan");
    assertThat(run("encode", "--profile", file("long", " ".repeat(70_000)))).isEqualTo(2);
    assertRefused("65536 bytes");
    assertThat(run("encode")).isEqualTo(2);
    assertRefused("--profile");
  }

  @Test
  void shouldRefuseAWrongRegisterNamingFieldValueAndRange() {
    assertThat(run("decode", "--hex", GOLDEN_HEX.replace("20400004", "20400003"))).isEqualTo(2);
    assertRefused("time_base", "=3", "a power of two, 4..32768");
    assertThat(run("decode", "--hex", GOLDEN_HEX.replace("04020402", "0c020402"))).isEqualTo(2);
    assertRefused("timeout_range[0].dec_mode", "=3", "DIV_2 (1)");
    assertThat(run("decode", "--hex", "00" + GOLDEN_HEX.substring(2))).isEqualTo(2);
    assertRefused("adp_retx_profile_select", "=0");
    assertThat(run("decode", "--hex", GOLDEN_HEX.substring(1))).isEqualTo(2);
    assertRefused("--hex", "128 hexadecimal digits");
  }

  @Test
  void shouldKeepTheEnableBitThroughEncodeFileAndDecode() throws IOException {
    assertThat(run("encode", "--profile", golden, "--fixed")).isZero();
    String hex = out.strip();
    assertThat(hex).startsWith("1000000110000000");
    assertThat(run("decode", "--hex", hex)).isZero();
    String fixed = file("fixed.json", out);
    assertThat(out).contains("\"roceAdpRetransEn\": false");
    assertThat(run("encode", "--profile", fixed)).isZero();
    assertThat(out.strip()).isEqualTo(hex);
    String dump = file("fixed.hex", hex);
    Path json = directory.resolve("steps.json");
    assertThat(run("explain", "--profile", dump, "--events", "TTT", "--json", json.toString()))
        .isZero();
    assertThat(JACKSON.readTree(json.toFile()).get("steps").findValuesAsText("timeoutMicros"))
        .containsOnly("67108.864");
    assertThat(run("explain", "--profile", fixed, "--ack-timeout", "0")).isEqualTo(2);
    assertRefused("roce_adp_retrans_en=0 with ack_timeout=0", "1..31");
  }

  @Test
  void shouldAskAndSetTheRegisterOfARunningNode() throws IOException {
    NodeRegister register = new NodeRegister();
    String path = directory.resolve("rt.sock").toString();
    assertThat(run("query", path)).as("nobody is there").isEqualTo(1);
    assertRefused("no node answers at " + path);
    Path json = directory.resolve("register.json");
    try (ControlSocket socket = ControlSocket.open(Path.of(path), register)) {
      assertThat(run("query", path, "--json", json.toString())).as(err).isZero();
      assertThat(out).contains("adp_retx_profile_id  0 (built in)", "roce_adp_retrans_en  1");
      JsonNode shown = JACKSON.readTree(json.toFile());
      assertThat(shown.get("hex").asText()).isEqualTo(HexFormat.of().formatHex(register.query()));
      assertThat(shown.get("maxRangeNum").asInt()).isEqualTo(4);
      assertThat(shown.get("maxId").asInt()).isEqualTo(7);
      assertThat(shown.get("baseTimeoutMinNs").asInt()).isEqualTo(4_000);
      assertThat(shown.get("profile").get("timeoutInitLowBound").asInt()).isEqualTo(10);

      assertThat(run("set", path, "--profile", golden, "--id", "3", "--fixed")).as(err).isZero();
      assertThat(out).contains("adp_retx_profile_id  3 (set)", "roce_adp_retrans_en  0");
      assertThat(register.selection())
          .isEqualTo(new AdpSelection(AdpProfileJson.parse(GOLDEN).profile(), false));
      assertThat(run("set", path, "--retrans", "on")).as(err).isZero();
      assertThat(register.selection().isAdaptive()).isTrue();
      assertThat(run("query", path, "--id", "5", "--json", json.toString())).isZero();
      assertThat(out).contains("5 (never set)");
      assertThat(JACKSON.readTree(json.toFile()).get("profile").isNull()).isTrue();

      byte[] before = register.query();
      String wrong = GOLDEN_HEX.replace("20400004", "20400003");
      assertThat(run("set", path, "--hex", wrong)).isEqualTo(2);
      assertRefused("time_base (timeBase)=3", "power of two");
      assertThat(register.query()).isEqualTo(before);
      assertThat(run("set", path, "--hex", GOLDEN_HEX)).as(err).isZero();
      assertThat(register.query()).startsWith(0x10, 0, 0, 1, 0x10, 0, 0, 1);
    }
  }

  @Test
  void shouldHaveHelpWithAnExample() {
    assertThat(run()).isZero();
    assertThat(out).contains("explain", "encode", "decode", "query", "set", "Example:");
    for (String command : new String[] {"explain", "encode", "decode", "query", "set"}) {
      assertThat(run(command, "--help")).isZero();
      assertThat(out).contains("Example: rt adp " + command);
    }
  }

  @Test
  void shouldLeaveTheBuiltInProfilesAsTheyAreThroughTheRegister() {
    for (String name : BuiltInProfiles.names()) {
      assertThat(run("encode", "--profile", name)).isZero();
      assertThat(run("decode", "--hex", out.strip())).isZero();
      assertThat(AdpProfileJson.parse(out).profile()).isEqualTo(BuiltInProfiles.byName(name));
    }
  }
}
