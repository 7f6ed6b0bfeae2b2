package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.FilePuller;
import io.rtransport.demo.showcase.ChildProcess;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.control.ControlSocket;
import io.rtransport.netty.node.RtNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code rt stat} of a target in a process of its own, over two rails. */
@Timeout(120)
class StatProcessTest {
  private static final long FILE_BYTES = 32L << 20;
  private static final long SMALL_BYTES = 50_000;

  @TempDir Path scratch;

  private Path socket;
  private Path json;

  private JsonNode state() throws IOException {
    return state(socket);
  }

  private JsonNode state(Path of) throws IOException {
    CommandRun run = CommandRun.of("stat", of.toString(), "--json", json.toString());
    assertThat(run.err()).isEmpty();
    assertThat(run.status()).isZero();
    return CommandRun.json(json);
  }

  private JsonNode stateThat(Predicate<JsonNode> isAsAsked) {
    return await().atMost(Duration.ofSeconds(30)).until(this::state, isAsAsked);
  }

  private static JsonNode with(JsonNode list, String key, String value) {
    for (JsonNode each : list) {
      if (each.get(key).asText().equals(value)) {
        return each;
      }
    }
    throw new AssertionError("no " + key + "=" + value + " in " + list);
  }

  private static boolean has(JsonNode list, String key, String value) {
    return list.findValuesAsText(key).contains(value);
  }

  private static List<Long> sorted(JsonNode rails, String key) {
    List<Long> values = new ArrayList<>();
    rails.forEach(rail -> values.add(rail.get(key).asLong()));
    values.sort(null);
    return values;
  }

  /** Each key of the rails of one side, and the key of its peer's that counts the same. */
  private static final Map<String, String> ENDS =
      Map.of(
          "datagramsReceived", "datagramsSent",
          "datagramsSent", "datagramsReceived",
          "bytesReceived", "bytesSent",
          "bytesSent", "bytesReceived");

  /** What the rails of both sides have carried until now, two of each, as these know it. */
  private final class Carried {
    final JsonNode there;
    final JsonNode here;

    Carried() throws IOException {
      there = state().get("rails");
      here = state(scratch.resolve("own")).get("rails");
      assertThat(there).hasSize(2);
      assertThat(here).hasSize(2);
    }

    @Override
    public String toString() {
      return "there " + there + " here " + here;
    }

    /** Asserts that both sides say the same of what was carried since. */
    void assertAlikeSince(Carried before) {
      ENDS.forEach(
          (ofThere, ofHere) ->
              assertThat(growth(before.there, there, ofThere))
                  .as("%s from %s to %s", ofThere, before, this)
                  .isEqualTo(growth(before.here, here, ofHere)));
    }
  }

  private static List<Long> growth(JsonNode before, JsonNode now, String key) {
    List<Long> values = new ArrayList<>();
    for (JsonNode rail : now) {
      for (JsonNode then : before) {
        if (then.get("number").equals(rail.get("number"))
            && then.get("peer").equals(rail.get("peer"))) {
          values.add(rail.get(key).asLong() - then.get(key).asLong());
        }
      }
    }
    assertThat(values).as("the same rails").hasSize(2);
    values.sort(null);
    return values;
  }

  /** Waits until nothing is on its way: between two answers, each a new one, nothing came. */
  private Carried awaitQuiet() {
    AtomicReference<Carried> last = new AtomicReference<>();
    return await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(250)) // an answer holds for 200 ms
        .until(
            Carried::new,
            now -> {
              Carried before = last.getAndSet(now);
              return before != null
                  && ENDS.keySet().stream()
                      .flatMap(
                          key ->
                              Stream.concat(
                                  growth(before.here, now.here, key).stream(),
                                  growth(before.there, now.there, key).stream()))
                      .allMatch(grown -> grown == 0);
            });
  }

  private static void file(Path path, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private ChildProcess target(Path root) throws IOException {
    file(root.resolve("large"), FILE_BYTES);
    file(root.resolve("small"), SMALL_BYTES);
    return ChildProcess.start(
        RtCommand.class,
        List.of(
            "target",
            "--listen",
            "127.0.0.1:0",
            "--root",
            root.toString(),
            "--control",
            socket.toString(),
            "--until-stdin-ends"));
  }

  private static InetSocketAddress address(ChildProcess target) throws IOException {
    String text = target.awaitFirstLine(30).replaceAll("listening on ([^ ,]+).*", "$1");
    HostPort parsed = HostPort.parse("target", text, 1);
    return new InetSocketAddress(parsed.host(), parsed.port());
  }

  private static ChannelInitiator connect(InetSocketAddress target, InetSocketAddress secondRail)
      throws IOException {
    return ChannelInitiator.connect(
        "target",
        List.of(new HostPort("127.0.0.1", target.getPort())),
        EventLoops.one(),
        channel ->
            channel.config().setOption(RtChannelOption.RAILS, List.of(RtRail.to(secondRail))));
  }

  private void pull(ChannelInitiator initiator, String name) throws IOException {
    FilePuller puller = new FilePuller(initiator);
    puller.pull(name, puller.stat(name), scratch.resolve("back"), bytes -> {});
  }

  private Path prepare() throws IOException {
    socket = scratch.resolve("rt.sock");
    json = scratch.resolve("stat.json");
    return Files.createDirectory(scratch.resolve("root"));
  }

  @Test
  void shouldShowTheRailsOfATargetAsItsPeerKnowsThem() throws Exception {
    Path root = prepare();
    try (ChildProcess target = target(root)) {
      InetSocketAddress address = address(target);
      try (ChannelInitiator initiator = connect(address, address);
          ControlSocket own =
              ControlSocket.open(scratch.resolve("own"), initiator.channel().eventLoop())) {
        pull(initiator, "large");
        // Packets of set-up belong to a path on one side only, and a busy machine may lose some of
        // a large file. All of a few small ones fit into the sockets, so what leaves here arrives.
        Carried before = awaitQuiet();
        for (int i = 0; i < 10; i++) {
          pull(initiator, "small");
        }
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(() -> new Carried().assertAlikeSince(before));
        List<Long> bytes = growth(before.there, state().get("rails"), "bytesSent");
        assertThat(bytes.get(0) + bytes.get(1)).isGreaterThan(10 * SMALL_BYTES);
        JsonNode state = state();
        assertThat(state.get("pid").asLong()).isEqualTo(target.pid());
        assertThat(state.get("connectionCount").asLong()).isEqualTo(1);
        double shares = 0;
        for (JsonNode rail : state.get("rails")) {
          assertThat(rail.get("health").asLong()).isEqualTo(1_000);
          assertThat(rail.get("paths").asLong()).isEqualTo(1);
          assertThat(rail.get("bytesSent").asLong()).isPositive();
          shares += rail.get("share").asDouble();
        }
        assertThat(shares).isCloseTo(1, within(1e-9));
        assertThat(state.get("total").get("bytesSent").asLong()).isGreaterThan(FILE_BYTES);
        JsonNode mine = state(scratch.resolve("own")).get("rails");
        assertThat(mine.get(0).get("peer")).isEqualTo(mine.get(1).get("peer"));
        assertThat(sorted(mine, "number")).containsExactly(1L, 2L);
        CommandRun table = CommandRun.of("stat", socket.toString());
        assertThat(table.out())
            .contains("node " + target.pid() + ": 1 event loops, 1 connections (1 set up), 2 paths")
            .containsPattern("127.0.0.1:\\d+ +peer +1000 +full +up");
      }
      assertThat(target.end()).isZero();
    }
  }

  @Test
  void shouldSetAKnobThatTakesEffectWhenARailDies() throws Exception {
    Path root = prepare();
    try (ChildProcess target = target(root)) {
      InetSocketAddress address = address(target);
      try (RelayedRail relay = new RelayedRail(address);
          ChannelInitiator initiator = connect(address, relay.address())) {
        CommandRun set =
            CommandRun.of("stat", socket.toString(), "--set", "health-sensitivity=300");
        assertThat(set.status()).isZero();
        assertThat(set.out()).contains("health-sensitivity=300");
        String name = "127.0.0.1:" + relay.towardsServer().getPort();
        CompletableFuture<Void> pulls =
            CompletableFuture.runAsync(
                () -> {
                  while (!relay.isDone()) {
                    try {
                      pull(initiator, "large");
                    } catch (IOException e) {
                      throw new UncheckedIOException(e);
                    }
                  }
                });
        stateThat(
            state ->
                has(state.get("rails"), "peer", name)
                    && with(state.get("rails"), "peer", name).get("datagramsSent").asLong() > 100);
        relay.dark(true);
        await()
            .atMost(Duration.ofSeconds(30))
            .untilAsserted(
                () -> {
                  JsonNode hurt = state();
                  JsonNode ni = with(hurt.get("interfaces"), "nid", name);
                  assertThat(ni.get("health").asLong()).isLessThan(1_000);
                  assertThat(ni.get("charges").has("REMOTE_TIMEOUT")).isTrue();
                  assertThat(ni.get("timeouts").has("REMOTE_TIMEOUT")).isTrue();
                  // 300 at once, or twice that if a busy relay has lost much before.
                  assertThat(ni.get("history").get(0).get("health").asLong()).isIn(700L, 400L);
                  JsonNode rail = with(hurt.get("rails"), "peer", name);
                  assertThat(rail.get("pathsSuspect").asLong()).isEqualTo(1);
                  assertThat(rail.get("movedFrom").asLong()).isPositive();
                  assertThat(hurt.get("knobs").get("health-sensitivity").asLong()).isEqualTo(300);
                });

        relay.dark(false);
        stateThat(
            state -> with(state.get("interfaces"), "nid", name).get("health").asLong() == 1_000);
        relay.done();
        pulls.join();
      }
      assertThat(RtNode.railHealth().config().toString()).contains("health-sensitivity=100");
      assertThat(target.end()).isZero();
    }
  }
}
