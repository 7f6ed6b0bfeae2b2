package io.rtransport.netty.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.json.Json;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.netty.internal.loop.Nodes;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node's register over a unix socket: who can reach it, what is answered, and what is not. */
@Timeout(60)
class ControlSocketTest {
  /** For a node that lets clients say nothing as long as there is room. */
  private static final long HOUR_MILLIS = 3_600_000;

  @TempDir private Path directory;
  private final NodeRegister register = new NodeRegister();

  private Path path() {
    return directory.resolve("rt.sock");
  }

  /** What comes back for some bytes, until the node ends the connection. */
  private String answer(String request) throws IOException {
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.connect(UnixDomainSocketAddress.of(path()));
      socket.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
      ByteBuffer in = ByteBuffer.allocate(4_096);
      while (socket.read(in) >= 0) {}
      return new String(in.array(), 0, in.position(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldAnswerAndSetAsTheRegisterDoes() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      assertThat(socket.path()).isEqualTo(path());
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
      byte[] set = RoceAcclRegister.encode(BuiltInProfiles.WAN, 5, false);
      byte[] shown = ControlClient.set(path(), set);
      assertThat(shown).isEqualTo(register.query(5)).isEqualTo(ControlClient.query(path()));
      assertThat(register.selection()).isEqualTo(RoceAcclRegister.decode(set));
      assertThat(ControlClient.query(path(), 0)).isEqualTo(register.query(0));
      assertThat(ControlClient.query(path(), 7)).isEqualTo(register.query(7));
    }
  }

  @Test
  void shouldRefuseInOneLineAndChangeNothing() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      byte[] wrong = RoceAcclRegister.encode(BuiltInProfiles.WAN, 1, false);
      wrong[16 + 3] = 3; // time_base
      assertThatThrownBy(() -> ControlClient.set(path(), wrong))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("time_base (timeBase)=3")
          .hasMessageContaining("power of two");
      assertThatThrownBy(() -> ControlClient.query(path(), 8))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("adp_retx_profile_id=8")
          .hasMessageContaining("0..7");
      for (String request : new String[] {"", "hello", "set", "set 12", "query 1 2", "Query"}) {
        assertThat(answer(request + "\n")).startsWith("refused ").endsWith("\n").hasLineCount(1);
      }
      assertThat(answer("query \u0007é\nquery\n")).startsWith("refused ").hasLineCount(1);
      assertThat(register.query()).isEqualTo(new NodeRegister().query());
      assertThat(register.selection().isAdaptive()).isTrue();
    }
  }

  @Test
  void shouldEndWhoSendsALongerLineThanAnyRequestHas() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      String set = "set " + "0".repeat(128);
      assertThat(answer(set + "\n")).startsWith("ok ");
      String longest = "x".repeat(ControlRequests.LENGTH_MAX - 1);
      assertThat(answer(longest + "\n")).startsWith("refused ");
      assertThat(answer(longest + "x\n")).isEmpty();
      assertThat(answer(longest + "x".repeat(1_000))).isEmpty();
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
    }
  }

  @Test
  void shouldLetAClientInPlaceOfTheOldestThatSaysNothing() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register, HOUR_MILLIS)) {
      List<SocketChannel> silent = new ArrayList<>();
      for (int i = 0; i < ControlConnections.COUNT_MAX; i++) {
        SocketChannel one = SocketChannel.open(StandardProtocolFamily.UNIX);
        one.connect(UnixDomainSocketAddress.of(path()));
        silent.add(one);
      }
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
      assertThat(silent.get(0).read(ByteBuffer.allocate(1))).as("the oldest").isEqualTo(-1);
      SocketChannel second = silent.get(1);
      second.write(ByteBuffer.wrap("query\n".getBytes(StandardCharsets.US_ASCII)));
      assertThat(second.read(ByteBuffer.allocate(1))).as("the second oldest").isOne();
      for (SocketChannel one : silent) {
        one.close();
      }
    }
  }

  @Test
  void shouldCloseANewClientWhileAllOthersHaveAsked() {
    ControlConnections connections = new ControlConnections(register, new NodeAnswers(), 5_000);
    List<EmbeddedChannel> asked = new ArrayList<>();
    for (int i = 0; i < ControlConnections.COUNT_MAX; i++) {
      EmbeddedChannel one = new EmbeddedChannel(new AnswersHeld(), connections);
      one.writeInbound(Unpooled.copiedBuffer("query\n", StandardCharsets.US_ASCII));
      asked.add(one);
    }
    assertThat(new EmbeddedChannel(connections).isOpen()).isFalse();
    assertThat(asked).allMatch(EmbeddedChannel::isOpen);
    asked.get(3).close();
    assertThat(new EmbeddedChannel(connections).isOpen()).isTrue();
  }

  /** A client that has not taken its answer yet. */
  private static final class AnswersHeld extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
    }
  }

  @Test
  void shouldEndWhoSaysNothing() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register, 500)) {
      assertThat(answer("")).isEmpty();
      assertThat(answer("query")).as("without its end").isEmpty();
    }
  }

  @Test
  void shouldNotWaitForANodeThatSaysNothing() throws IOException {
    try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(path()));
      assertThatThrownBy(() -> ControlClient.ask(path(), "query", 100))
          .isInstanceOf(IOException.class)
          .hasMessage("no answer within 0.1 s");
    }
  }

  @Test
  void shouldLeaveTheFileOfWhoHasTakenItsPlace() throws IOException {
    ControlSocket first = ControlSocket.open(path(), register);
    Files.delete(path());
    try (ControlSocket second = ControlSocket.open(path(), register)) {
      first.close();
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldBeItsOwnersAloneAndLeaveNothing() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path())))
          .isEqualTo("rw-------");
      try (Stream<Path> files = Files.list(directory)) {
        assertThat(files).containsExactly(path());
      }
    }
    assertThat(directory).isEmptyDirectory();
    assertThatThrownBy(() -> ControlClient.query(path())).isInstanceOf(IOException.class);
  }

  @Test
  void shouldTakeThePlaceOfASocketThatIsLeftOverAndOfNothingElse() throws IOException {
    Path file = Files.writeString(path(), "mine");
    assertThatThrownBy(() -> ControlSocket.open(file, register))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another kind");
    assertThat(file).hasContent("mine");
    Files.delete(file);
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      assertThatThrownBy(() -> ControlSocket.open(path(), register))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another process answers there");
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
      Files.move(path(), directory.resolve("aside"));
    }
    // Bound once, and nobody is behind it any more.
    assertThat(directory.resolve("aside")).exists();
    Files.move(directory.resolve("aside"), path());
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      assertThat(ControlClient.query(path())).isEqualTo(register.query());
    }
    assertThatThrownBy(() -> ControlSocket.open(directory.resolve("no/such"), register))
        .isInstanceOf(NoSuchFileException.class);
  }

  // ---- knobs and state

  /** Runs with the process's knobs as they are, and sets them back. */
  private static void withKnobs(ThrowingRunnable test) throws IOException {
    RailHealthConfig former = Nodes.RAIL_HEALTH.config();
    try {
      test.run();
    } finally {
      Nodes.RAIL_HEALTH.config(former);
    }
  }

  private interface ThrowingRunnable {
    void run() throws IOException;
  }

  @Test
  void shouldSetKnobsThatTakeEffectAtOnce() throws IOException {
    withKnobs(
        () -> {
          try (ControlSocket socket = ControlSocket.open(path(), register)) {
            HealthKnobs knobs =
                HealthKnobs.parse("--set", List.of("health-sensitivity=300", "retry-count=3"));
            Map<?, ?> shown = (Map<?, ?>) Json.parse(ControlClient.set(path(), knobs));
            assertThat(shown.get("health-sensitivity")).isEqualTo(300L);
            assertThat(shown).hasSameSizeAs(HealthParameter.values());
            RailHealthConfig config = Nodes.RAIL_HEALTH.config();
            assertThat(config.get(HealthParameter.HEALTH_SENSITIVITY)).isEqualTo(300);
            assertThat(config.get(HealthParameter.RETRY_COUNT)).isEqualTo(3);
            Map<?, ?> state = (Map<?, ?>) Json.parse(ControlClient.stat(path()));
            assertThat(((Map<?, ?>) state.get("knobs")).get("retry-count")).isEqualTo(3L);
          }
        });
  }

  @Test
  void shouldRefuseKnobsThatDoNotFitTheOthersAndChangeNone() throws IOException {
    withKnobs(
        () -> {
          try (ControlSocket socket = ControlSocket.open(path(), register)) {
            RailHealthConfig before = Nodes.RAIL_HEALTH.config();
            HealthKnobs knobs =
                HealthKnobs.parse(
                    "--set", List.of("health-sensitivity=1", "ping-interval-min-millis=2000"));
            assertThatThrownBy(() -> ControlClient.set(path(), knobs))
                .isInstanceOf(RefusedException.class)
                .hasMessage(
                    "ping-interval-min-millis=2000, valid: 10..1000 (ping-interval-max-millis)");
            String[] bad = {"health-sensitivity", "no-such=1", "retry-count=6", "retry-count="};
            for (String knob : bad) {
              assertThat(answer("knobs " + knob + "\n")).startsWith("refused ").hasLineCount(1);
            }
            assertThat(answer("knobs  \n")).startsWith("refused ");
            assertThat(answer("stat 1\n")).startsWith("refused ");
            assertThat(Nodes.RAIL_HEALTH.config()).isEqualTo(before);
          }
        });
  }

  @Test
  void shouldNameAWrongKnobItsValueAndItsRange() {
    assertThatThrownBy(() -> HealthKnobs.parse("--set", List.of("retry-count=6")))
        .hasMessage("retry-count=6 is not valid: 0..5");
    assertThatThrownBy(() -> HealthKnobs.parse("--set", List.of("loss-charged-percent=x")))
        .hasMessage("loss-charged-percent=x is not valid: 1..100 %");
    assertThatThrownBy(() -> HealthKnobs.parse("--set", List.of("retries=2")))
        .hasMessageStartingWith("--set=retries=2 is not valid: NAME is one of health-sensitivity, ")
        .hasMessageContaining("retry-count");
    assertThatThrownBy(() -> HealthKnobs.parse("--set", List.of("retry-count")))
        .hasMessageContaining("NAME=VALUE");
    assertThat(HealthKnobs.parse("--set", List.of("retry-count=0", "retry-count=5")))
        .hasToString("retry-count=5");
  }

  @Test
  void shouldTellTheStateWithoutARegister() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path())) {
      assertThat(ControlClient.stat(path())).startsWith("{\"pid\":");
      assertThatThrownBy(() -> ControlClient.query(path()))
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("no register is here");
    }
  }

  @Test
  void shouldTakeAllKnobsInOneRequest() {
    StringBuilder all = new StringBuilder("knobs");
    for (HealthParameter parameter : HealthParameter.values()) {
      all.append(' ').append(parameter.text()).append('=').append(parameter.max());
    }
    assertThat(all).hasSizeLessThan(ControlRequests.LENGTH_MAX);
  }

  @Test
  void shouldReadTheNodeAFewTimesASecondHoweverOftenItIsAsked() throws IOException {
    try (ControlSocket socket = ControlSocket.open(path(), register)) {
      long beginNs = System.nanoTime();
      int asked = 0;
      while (asked < 100 || System.nanoTime() - beginNs < 2 * NodeAnswers.HOLD_NS) {
        ControlClient.stat(path());
        asked++;
      }
      long heldMost = (System.nanoTime() - beginNs) / NodeAnswers.HOLD_NS + 1;
      assertThat(socket.answers().readings()).isBetween(2, (int) heldMost);
    }
  }
}
