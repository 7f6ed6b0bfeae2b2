package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.demo.showcase.ChildProcess;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands as processes of their own: what happens when one of them is not there, is killed, or
 * is there twice.
 */
@Timeout(120)
class ProcessesTest {
  private static final long LARGE_BYTES = 192L << 20;
  private static final long BEGUN_BYTES = 1 << 20;
  private static final Pattern SMALL_STORED = Pattern.compile("small +5 B +present");

  @TempDir Path scratch;

  @Test
  void shouldFinishByASecondPushWhatAKilledTargetDidNotTake() throws Exception {
    Path root = scratch.resolve("root");
    Path small = Files.writeString(scratch.resolve("small"), "small");
    Path large = sparse("large");
    Path json = scratch.resolve("push.json");
    String[] push = {
      "push", small.toString(), large.toString(), "--to", null, "--json", json.toString()
    };

    try (ChildProcess target = target(root, "127.0.0.1:0")) {
      push[4] = address(target);
      // Alone: beside the large one it may come to the disk as late as that does.
      assertThat(CommandRun.of("push", small.toString(), "--to", push[4]).status()).isZero();
      CompletableFuture<CommandRun> first =
          CompletableFuture.supplyAsync(() -> CommandRun.of(push));
      await()
          .atMost(Duration.ofSeconds(60))
          .pollInterval(Duration.ofMillis(2))
          .until(() -> hasBegun(root) || first.isDone());
      target.kill();
      CommandRun cut = first.join();
      assertThat(cut.status()).as(cut.out()).isEqualTo(1);
      // The target may have been killed before it said that it has the small file.
      boolean isSmallKnown = SMALL_STORED.matcher(cut.out()).find();
      assertThat(cut.err()).hasSize(1);
      assertThat(cut.err().get(0)).contains((isSmallKnown ? 1 : 2) + " of 2 files", "push again");
      assertThat(cut.out())
          .containsPattern(
              "small +5 B +" + (isSmallKnown ? "present" : "(unknown|failed) .*connection"))
          .containsPattern("large +192.0 MiB +(unknown|failed) .*connection");
    }
    assertThat(root.resolve("large")).doesNotExist();
    assertThat(root.resolve("small")).hasContent("small");

    try (ChildProcess target = target(root, "127.0.0.1:0")) {
      push[4] = address(target);
      CommandRun second = CommandRun.of(push);
      assertThat(second.err()).isEmpty();
      assertThat(second.status()).isZero();
      JsonNode files = CommandRun.json(json).get("files");
      assertThat(files.get(0).get("end").asText()).isEqualTo("present");
      assertThat(files.get(1).get("end").asText()).isEqualTo("stored");
      assertThat(Files.mismatch(root.resolve("large"), large)).isEqualTo(-1);
      assertThat(target.end()).isZero();
    }
    try (Stream<Path> left = Files.list(root.resolve(".rt-incoming"))) {
      assertThat(left).extracting(path -> path.getFileName().toString()).containsExactly("lock");
    }
  }

  @Test
  void shouldSayWithinFiveSecondsThatNoTargetIsThere() throws Exception {
    Path file = Files.writeString(scratch.resolve("file"), "x");
    String gone;
    try (ChildProcess target = target(scratch.resolve("root"), "127.0.0.1:0")) {
      gone = address(target);
      target.kill();
    }
    long startNs = System.nanoTime();
    CommandRun push = CommandRun.of("push", file.toString(), "--to", gone);
    assertThat(Duration.ofNanos(System.nanoTime() - startNs)).isLessThan(Duration.ofSeconds(5));
    assertThat(push.status()).isEqualTo(1);
    assertThat(push.err()).hasSize(1);
    assertThat(push.err().get(0)).contains("nothing was pushed", "no target answers at " + gone);
  }

  @Test
  void shouldSayInOneLineThatPortOrRootIsTaken() throws Exception {
    try (ChildProcess target = target(scratch.resolve("root"), "127.0.0.1:0")) {
      String address = address(target);
      CommandRun samePort =
          CommandRun.of(
              "target", "--listen", address, "--root", scratch.resolve("other").toString());
      assertThat(samePort.status()).isEqualTo(1);
      assertThat(samePort.err()).hasSize(1);
      assertThat(samePort.err().get(0)).contains("cannot listen on " + address);
      CommandRun sameRoot =
          CommandRun.of(
              "target", "--listen", "127.0.0.1:0", "--root", scratch.resolve("root").toString());
      assertThat(sameRoot.status()).isEqualTo(2);
      assertThat(sameRoot.err()).hasSize(1);
      assertThat(sameRoot.err().get(0)).contains("--root=", "another target stores there");
    }
  }

  @Test
  void shouldListenOnIpv6AndOnSeveralAddresses() throws Exception {
    try (ChildProcess target = target(scratch.resolve("root"), "127.0.0.1:0,[::1]:0")) {
      String line = target.awaitFirstLine(30);
      String[] addresses = line.replaceAll("listening on ([^ ]+), .*", "$1").split(",");
      assertThat(addresses).hasSize(2);
      assertThat(addresses[1]).startsWith("[0:0:0:0:0:0:0:1]:");
      for (String address : addresses) {
        assertThat(CommandRun.of("ls", "--from", address).status()).isZero();
      }
    }
  }

  @Test
  void shouldAnswerOnMoreLoopsThatNeverSleepThanThereAreProcessors() throws Exception {
    int threads = Runtime.getRuntime().availableProcessors() + 1;
    Path json = scratch.resolve("target.json");
    List<String> polling =
        List.of("--busy-poll", "--threads", Integer.toString(threads), "--json", json.toString());
    try (ChildProcess target = target(scratch.resolve("root"), "127.0.0.1:0", polling)) {
      CommandRun ping =
          CommandRun.of("ping", address(target), "--count", "3", "-i", "1ms", "--busy-poll");
      assertThat(ping.status()).isZero();
      assertThat(target.end()).isZero();
    }
    JsonNode result = CommandRun.json(json);
    assertThat(result.get("counters").get("REQUESTS_DELIVERED").asLong()).isEqualTo(3);
    JsonNode loops = result.get("loopCounters");
    assertThat(loops.get("REQUESTS_DELIVERED").asLong()).isEqualTo(3);
    assertThat(loops.get("CONNECTS_RECEIVED").asLong()).isPositive();
  }

  @Test
  void shouldArmAProfileThatIsSetWhileTheTargetRuns() throws Exception {
    Path socket = scratch.resolve("rt.sock");
    Path json = scratch.resolve("register.json");
    Path file = Files.writeString(scratch.resolve("file"), "x");
    List<String> options =
        List.of("--control", socket.toString(), "--profile", "lossy", "--ack-timeout", "18");
    try (ChildProcess target = target(scratch.resolve("root"), "127.0.0.1:0", options)) {
      String address = address(target);
      await()
          .atMost(Duration.ofSeconds(30))
          .until(() -> CommandRun.of("adp", "query", socket.toString()).status() == 0);
      String[] query = {"adp", "query", socket.toString(), "--json", json.toString()};
      assertThat(CommandRun.of(query).out()).contains("1 (set)");
      assertThat(CommandRun.json(json).get("profile").get("timeoutInitLowBound").asInt())
          .isEqualTo(BuiltInProfiles.LOSSY.initLowBound());
      String[] set = {"adp", "set", socket.toString(), "--profile", "wan", "--id", "2"};
      assertThat(CommandRun.of(set).err()).isEmpty();
      assertThat(CommandRun.of(query).out()).contains("2 (set)");
      CommandRun push =
          CommandRun.of(
              "push",
              file.toString(),
              "--to",
              address,
              "--profile",
              "wan",
              "--ack-timeout",
              "18",
              "--retry-count",
              "3",
              "--strict-profile");
      assertThat(push.err()).isEmpty();
      assertThat(push.status()).isZero();
      assertThat(target.end()).isZero();
    }
    assertThat(socket).doesNotExist();
  }

  @Test
  void shouldVerifyFilesUnderLossInTheDemo() throws Exception {
    Path file = sparse("file", 3 << 20);
    Path tiny = Files.writeString(scratch.resolve("tiny"), "t");
    Path json = scratch.resolve("demo.json");
    CommandRun demo =
        CommandRun.of(
            "demo",
            "--loss",
            "0.05",
            "--files",
            file.toString(),
            tiny.toString(),
            "--json",
            json.toString());
    assertThat(demo.err()).isEmpty();
    assertThat(demo.out()).endsWith("VERIFIED" + System.lineSeparator());
    assertThat(demo.status()).isZero();
    JsonNode result = CommandRun.json(json);
    assertThat(result.get("verified").asBoolean()).isTrue();
    assertThat(result.get("initiatorPid").asLong()).isEqualTo(ProcessHandle.current().pid());
    assertThat(result.get("targetPid").asLong())
        .isPositive()
        .isNotEqualTo(ProcessHandle.current().pid());
    assertThat(result.get("datagramsDropped").asLong()).isPositive();
    JsonNode resent = result.get("retransmits");
    assertThat(
            resent.get("early").asLong()
                + resent.get("probe").asLong()
                + resent.get("timeout").asLong())
        .isPositive();
    assertThat(resent.get("moved").asLong()).isZero();
    assertThat(result.get("latencyMicros").get("p99").asDouble()).isPositive();
    JsonNode first = result.get("files").get(0);
    assertThat(first.get("solicited").asBoolean()).isTrue();
    assertThat(result.get("files").get(1).get("solicited").asBoolean()).isFalse();
    assertThat(first.get("sha256Stored"))
        .isEqualTo(first.get("sha256Sent"))
        .isEqualTo(first.get("sha256Pulled"));
    assertThat(result.get("peakRssBytes").has("target")).isTrue();
  }

  @Test
  void shouldVerifyFilesUnderLossInTheDemoThroughQueues() throws Exception {
    Path file = sparse("file", 1 << 20);
    Path tiny = Files.writeString(scratch.resolve("tiny"), "t");
    Path empty = Files.createFile(scratch.resolve("empty"));
    Path json = scratch.resolve("demo.json");
    String files = String.join(" ", file.toString(), tiny.toString(), empty.toString());
    CommandRun demo =
        CommandRun.of(
            ("demo --api queue --loss 0.05 --json " + json + " --files " + files).split(" "));
    assertThat(demo.err()).isEmpty();
    assertThat(demo.out())
        .contains("queues: ", " consumer woken ")
        .endsWith("VERIFIED" + System.lineSeparator());
    assertThat(demo.status()).isZero();
    JsonNode result = CommandRun.json(json);
    assertThat(result.get("api").asText()).isEqualTo("queue");
    // Of each file: what the target has of it before, the push, its size, the pull. Round trips.
    assertThat(result.get("queue").get("posted").asLong()).isEqualTo(3 * 4 + 200);
    assertThat(result.get("queue").get("wakeUps").asLong()).isPositive();
    assertThat(result.get("datagramsDropped").asLong()).isPositive();
    assertThat(result.get("files")).hasSize(3);
    for (JsonNode each : result.get("files")) {
      assertThat(each.get("sha256Pulled")).isEqualTo(each.get("sha256Sent"));
      assertThat(each.get("sha256Stored")).isEqualTo(each.get("sha256Sent"));
    }
  }

  /** Returns what a demo says that kills a rail. */
  private JsonNode demoThatKillsARail(Path file) throws Exception {
    Path json = scratch.resolve("demo.json");
    CommandRun demo =
        CommandRun.of(
            "demo", "--rails", "2", "--files", file.toString(), "--json", json.toString());
    assertThat(demo.out())
        .contains("rail 1 was dark for ", " while file was pulled")
        .endsWith("VERIFIED" + System.lineSeparator());
    assertThat(demo.status()).isZero();
    return CommandRun.json(json);
  }

  @Test
  void shouldVerifyAFileThoughTheDemoKillsARail() throws Exception {
    Path file = sparse("file", 64 << 20);
    JsonNode result = demoThatKillsARail(file);
    for (int i = 0; i < 3 && result.get("kill").get("returnedMillis").isNull(); i++) {
      // On a busy machine the rail may be out of use before, or not be back within the demo's 3 s.
      result = demoThatKillsARail(file);
    }
    JsonNode kill = result.get("kill");
    assertThat(kill.get("rail").asInt()).isEqualTo(1);
    assertThat(kill.get("file").asText()).isEqualTo("file");
    assertThat(kill.get("datagramsLost").asLong()).isPositive();
    assertThat(kill.get("moved").asLong()).isPositive();
    assertThat(kill.get("moved")).isEqualTo(result.get("retransmits").get("moved"));
    double darkMillis = kill.get("darkMillis").asDouble();
    assertThat(kill.get("gapMillis").get("after").asDouble()).isPositive().isLessThan(darkMillis);
    assertThat(kill.get("gapMillis").get("before").asDouble()).isPositive();
    assertThat(kill.get("returnedMillis").asDouble()).isPositive();
  }

  private static ChildProcess target(Path root, String listen) throws IOException {
    return target(root, listen, List.of());
  }

  private static ChildProcess target(Path root, String listen, List<String> more)
      throws IOException {
    List<String> arguments = new ArrayList<>(List.of("target", "--listen", listen));
    arguments.addAll(List.of("--root", root.toString(), "--until-stdin-ends"));
    arguments.addAll(more);
    return ChildProcess.start(RtCommand.class, arguments);
  }

  private static String address(ChildProcess target) throws IOException {
    return target.awaitFirstLine(30).replaceAll("listening on ([^ ,]+).*", "$1");
  }

  private static boolean hasBegun(Path root) throws IOException {
    try (Stream<Path> parts = Files.list(root.resolve(".rt-incoming"))) {
      return parts.anyMatch(ProcessesTest::hasBegunFile);
    }
  }

  private static boolean hasBegunFile(Path part) {
    try {
      return part.toString().endsWith(".part") && Files.size(part) > BEGUN_BYTES;
    } catch (IOException e) {
      return false; // renamed meanwhile
    }
  }

  private Path sparse(String name) throws IOException {
    return sparse(name, LARGE_BYTES);
  }

  private Path sparse(String name, long lengthBytes) throws IOException {
    Path file = scratch.resolve(name);
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.setLength(lengthBytes);
      bytes.seek(lengthBytes / 2);
      bytes.writeLong(0x0123456789ABCDEFL);
    }
    return file;
  }
}
