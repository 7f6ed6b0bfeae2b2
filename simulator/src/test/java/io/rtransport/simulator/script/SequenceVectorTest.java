package io.rtransport.simulator.script;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.stats.CounterId;
import io.rtransport.simulator.script.Script.Line;
import io.rtransport.simulator.script.ScriptWorld.Sent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * What docs/reference/vectors/sequences.json says that a receiver does with packets that come one
 * after the other.
 */
class SequenceVectorTest {
  private static final Path FILE = Path.of("..", "docs", "reference", "vectors", "sequences.json");
  private static final long ACK_WITHIN_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int ACK = 7;
  private static final int CLOSE = 12;
  private static final int BODY = 16;

  @TestFactory
  Stream<DynamicTest> shouldDoWhatTheSequencesSay() throws IOException {
    JsonNode all = new ObjectMapper().readTree(FILE.toFile());
    assertThat(all).hasSizeGreaterThan(30);
    return StreamSupport.stream(all.spliterator(), false)
        .map(
            vector ->
                DynamicTest.dynamicTest(vector.get("name").asText(), () -> new Run(vector).run()));
  }

  /** One sequence. */
  private static final class Run {
    private final JsonNode vector;
    private final ScriptWorld world;
    private final List<Sent> sent = new ArrayList<>();

    Run(JsonNode vector) {
      this.vector = vector;
      List<Line> settings = new ArrayList<>();
      settings.add(new Line(0, "ours target"));
      JsonNode receiver = vector.get("receiver");
      receiver
          .fieldNames()
          .forEachRemaining(
              key -> settings.add(new Line(0, "with " + key + " " + receiver.get(key).asText())));
      world = new ScriptWorld(settings);
    }

    void run() {
      for (int i = 0; i < vector.get("steps").size(); i++) {
        check("step " + i, vector.get("steps").get(i));
      }
    }

    private void check(String name, JsonNode step) {
      Map<CounterId, Long> before = new HashMap<>();
      for (CounterId id : CounterId.values()) {
        before.put(id, world.count(id));
      }
      sent.clear();
      List<byte[]> packets = new ArrayList<>();
      step.get("packets").forEach(hex -> packets.add(HexFormat.of().parseHex(hex.asText())));
      world.injectBytes(packets);
      drain(world.nowNs());
      List<String> heard = List.copyOf(world.application().heard);
      world.application().heard.clear();

      List<String> delivers = new ArrayList<>();
      step.get("delivers").forEach(rsn -> delivers.add("delivered " + counted(rsn.asLong())));
      assertThat(heard.stream().filter(event -> event.startsWith("delivered")))
          .as("%s: delivered", name)
          .containsExactlyElementsOf(delivers);
      assertThat(heard.stream().filter(event -> event.startsWith("closed")).findFirst())
          .as("%s: closed", name)
          .isEqualTo(end(step));
      assertThat(sent.stream().anyMatch(packet -> type(packet) == CLOSE))
          .as("%s: CLOSE", name)
          .isEqualTo(step.has("closes"));
      if (step.has("replies")) {
        List<Integer> replies = new ArrayList<>();
        step.get("replies").forEach(type -> replies.add(type.asInt()));
        assertThat(sent.stream().map(Run::type).toList())
            .as("%s: replies", name)
            .isEqualTo(replies);
      }
      if (step.has("acknowledges")) {
        drain(world.nowNs() + ACK_WITHIN_NS);
        checkAcknowledgement(name, step.get("acknowledges"));
      }
      JsonNode counters = step.path("counters");
      counters
          .fieldNames()
          .forEachRemaining(
              key -> {
                CounterId id = CounterId.valueOf(key);
                assertThat(world.count(id) - before.get(id))
                    .as("%s: %s", name, id)
                    .isEqualTo(counters.get(key).asLong());
              });
    }

    private static Optional<String> end(JsonNode step) {
      JsonNode code = step.has("closes") ? step.get("closes") : step.path("ends");
      return code.isMissingNode()
          ? Optional.empty()
          : Optional.of("closed " + CloseCode.nameOf(code.asInt()));
    }

    private void drain(long untilNs) {
      for (Sent packet = world.next(untilNs); packet != null; packet = world.next(untilNs)) {
        sent.add(packet);
      }
    }

    /** The last of those that left says all there is to say. */
    private void checkAcknowledgement(String name, JsonNode expected) {
      List<Sent> acks = sent.stream().filter(packet -> type(packet) == ACK).toList();
      assertThat(acks).as("%s: ACKs", name).isNotEmpty();
      ByteBuffer ack = ByteBuffer.wrap(acks.get(acks.size() - 1).bytes());
      int dataBase = ack.getInt(BODY + 4);
      assertThat(Integer.toUnsignedLong(ack.getInt(BODY)))
          .as("%s: request base", name)
          .isEqualTo(expected.get("requestBase").asLong());
      assertThat(Integer.toUnsignedLong(dataBase))
          .as("%s: data base", name)
          .isEqualTo(expected.get("dataBase").asLong());
      assertThat((int) ack.get(BODY + 8))
          .as("%s: flags", name)
          .isEqualTo(expected.get("flags").asInt());
      List<Long> above = new ArrayList<>();
      int wordsAt = BODY + 24 + 8 * ack.get(BODY + 9);
      for (int bit = 0; bit < 64 * ack.get(BODY + 10); bit++) {
        int psn = (dataBase & ~63) + 64 * (ack.getShort(BODY + 14) & 0xFFFF) + bit;
        if ((ack.getLong(wordsAt + 8 * (bit / 64)) >>> bit % 64 & 1) != 0 && psn - dataBase >= 0) {
          above.add(Integer.toUnsignedLong(psn));
        }
      }
      List<Long> wanted = new ArrayList<>();
      expected.get("dataAbove").forEach(psn -> wanted.add(psn.asLong()));
      assertThat(above).as("%s: received above the base", name).isEqualTo(wanted);
    }

    private static int type(Sent packet) {
      return packet.bytes()[1];
    }

    private static int counted(long number) {
      return (int) number - PacketCodec.FIRST;
    }
  }
}
