package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Counters;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class GoldenVectorTest {
  private static final int AT = 7;

  private final Counters counters = new Counters();
  private final PacketDoor door =
      new PacketDoor(new PacketValidator(new Integrity()), counters, Vectors.CID, Vectors.COOKIE);

  static Stream<JsonNode> wellFormed() {
    return Stream.of("packets.json", "records.json").flatMap(f -> Vectors.read(f).stream());
  }

  static Stream<JsonNode> judged() {
    return Vectors.read("malformed.json").stream();
  }

  @ParameterizedTest
  @MethodSource("wellFormed")
  void shouldReadTheFieldsFromTheBytes(JsonNode vector) throws Exception {
    byte[] packet = Vectors.bytes(vector.get("hex").asText());
    for (boolean direct : new boolean[] {false, true}) {
      ByteBuffer buffer = Vectors.place(packet, AT, direct);
      assertThat(door.validate(buffer, AT, packet.length)).as(vector.get("name").asText()).isNull();
      ObjectNode fields = VectorDecoder.decode(buffer, AT, packet.length);
      // Through text, so that an int and a long of one value are equal.
      assertThat(Vectors.JSON.readTree(fields.toString())).isEqualTo(vector.get("fields"));
    }
  }

  @ParameterizedTest
  @MethodSource("wellFormed")
  void shouldWriteTheBytesFromTheFields(JsonNode vector) {
    String expected = vector.get("hex").asText();
    for (boolean direct : new boolean[] {false, true}) {
      ByteBuffer buffer = Vectors.place(new byte[expected.length() / 2], AT, direct);
      int length = VectorEncoder.encode(vector.get("fields"), buffer, AT);
      assertThat(Vectors.hex(buffer, AT, length)).isEqualTo(expected);
      assertThat(buffer.get(AT - 1)).isEqualTo((byte) 0xA5);
      assertThat(buffer.get(AT + length)).isEqualTo((byte) 0xA5);
    }
  }

  @ParameterizedTest
  @MethodSource("judged")
  void shouldCountEveryMalformedPacketUnderItsOwnCounterOnly(JsonNode vector) {
    byte[] packet = Vectors.bytes(vector.get("hex").asText());
    CounterId expected =
        vector.get("counter").isNull() ? null : CounterId.valueOf(vector.get("counter").asText());
    ByteBuffer buffer = Vectors.place(packet, AT, true);
    if (!vector.get("addressed").asBoolean()) {
      assertThat(door.validate(buffer, AT, packet.length))
          .as(vector.get("name").asText())
          .isEqualTo(expected);
      return;
    }
    PacketBurst burst = new PacketBurst();
    burst.add(buffer, AT, packet.length, 0, PacketBurst.TRANSIENT);
    door.onBurst(burst, 1);
    assertThat(burst.isDropped(0)).as(vector.get("name").asText()).isEqualTo(expected != null);
    for (CounterId id : CounterId.values()) {
      long count = id == expected || id == CounterId.DATAGRAMS_RECEIVED ? 1 : 0;
      assertThat(counters.value(id)).as("%s: %s", vector.get("name").asText(), id).isEqualTo(count);
    }
  }

  @Test
  void shouldHaveAVectorForEveryPacketTypeAndEveryRecordType() {
    Set<String> seen = new HashSet<>();
    wellFormed()
        .forEach(
            vector -> {
              JsonNode fields = vector.get("fields");
              seen.add(fields.get("type").asText());
              fields.path("records").forEach(r -> seen.add("record " + r.get("type").asText()));
            });
    for (int type = 0; type < 32; type++) {
      if (PacketType.isKnown(type)) {
        assertThat(seen).contains(PacketType.name(type));
      }
    }
    for (int type = 0; type < 256; type++) {
      if (RecordType.isKnown(type)) {
        assertThat(seen).contains("record " + RecordType.name(type));
      }
    }
  }

  @Test
  void shouldMeetEveryFaultOfTheDoorInTheVectors() {
    Set<String> seen = new HashSet<>();
    judged().forEach(vector -> seen.add(vector.get("counter").asText()));
    assertThat(seen)
        .contains(
            "null",
            "DROP_TRUNCATED",
            "DROP_OVERLONG",
            "DROP_VERSION",
            "DROP_TYPE",
            "DROP_FLAGS",
            "DROP_INTEGRITY",
            "DROP_CID",
            "DROP_COOKIE",
            "DROP_RECORD_LENGTH",
            "DROP_RECORD_TYPE",
            "DROP_RECORD_COUNT",
            "DROP_RECORD_FIELD",
            "DROP_ACK_BODY",
            "DROP_TLV",
            "DROP_BODY");
  }
}
