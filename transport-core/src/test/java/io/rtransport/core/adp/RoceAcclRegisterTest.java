package io.rtransport.core.adp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The register against vectors that another program made, and its behaviour in sets and queries.
 */
class RoceAcclRegisterTest {
  private static final HexFormat HEX = HexFormat.of();

  record Vector(String name, JsonNode node) {
    @Override
    public String toString() {
      return name;
    }

    byte[] bytes() {
      return HEX.parseHex(node.get("hex").asText());
    }

    AdpProfile profile() {
      return AdpProfileJson.parse(node.get("profile").toString()).profile();
    }
  }

  private static List<Vector> vectors(String kind) throws IOException {
    try (InputStream in =
        RoceAcclRegisterTest.class.getResourceAsStream("/vectors/adp-register.json")) {
      List<Vector> vectors = new ArrayList<>();
      for (JsonNode node : new ObjectMapper().readTree(in).get(kind)) {
        String name =
            node.has("name")
                ? node.get("name").asText()
                : node.get("field").asText() + "=" + node.get("value").asText();
        vectors.add(new Vector(name, node));
      }
      assertThat(vectors).isNotEmpty();
      return vectors;
    }
  }

  static List<Vector> encoded() throws IOException {
    return vectors("encoded");
  }

  static List<Vector> read() throws IOException {
    return vectors("read");
  }

  static List<Vector> refused() throws IOException {
    return vectors("refused");
  }

  @ParameterizedTest
  @MethodSource("encoded")
  void shouldWriteAndReadTheGoldenBytes(Vector vector) {
    assertThat(HEX.formatHex(RoceAcclRegister.encode(vector.profile())))
        .isEqualTo(HEX.formatHex(vector.bytes()));
    assertThat(RoceAcclRegister.decode(vector.bytes()).profile()).isEqualTo(vector.profile());
  }

  @ParameterizedTest
  @MethodSource("read")
  void shouldIgnoreWhatIsReservedOrReadOnly(Vector vector) {
    assertThat(RoceAcclRegister.decode(vector.bytes()).profile()).isEqualTo(vector.profile());
  }

  @ParameterizedTest
  @MethodSource("refused")
  void shouldRefuseNamingFieldValueAndValidRange(Vector vector) {
    assertThatThrownBy(() -> RoceAcclRegister.decode(vector.bytes()).profile())
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageStartingWith(vector.node().get("field").asText())
        .hasMessageContaining("=" + vector.node().get("value").asText() + " ")
        .hasMessageContaining(vector.node().get("valid").asText());
  }

  @Test
  void shouldWriteTheSelectIdAndEnableWordsOfTheDesign() {
    String hex = HEX.formatHex(RoceAcclRegister.encode(BuiltInProfiles.LAN));
    assertThat(hex).hasSize(128).startsWith("10000001" + "10000001" + "00000000" + "00000000");
    assertThat(hex.substring(2 * 0x28)).matches("0+");
  }

  @Test
  void shouldComeBackFromBytesAsItWas() {
    long seed = Long.getLong("seed", 99L);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 5_000; i++) {
      AdpProfile profile = RandomProfiles.next(random, random.nextBoolean());
      byte[] bytes = RoceAcclRegister.encode(profile, 1 + random.nextInt(7), random.nextBoolean());
      assertThat(RoceAcclRegister.decode(bytes).profile())
          .as("seed " + seed + ", profile " + i)
          .isEqualTo(profile);
    }
  }

  @Test
  void shouldAnswerRandomBytesWithAProfileOrARefusalOnly() {
    long seed = Long.getLong("seed", 99L);
    SplittableRandom random = new SplittableRandom(seed);
    int valid = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = RoceAcclRegister.encode(RandomProfiles.next(random, false));
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      try {
        AdpProfile profile = RoceAcclRegister.decode(bytes).profile();
        assertThat(RoceAcclRegister.decode(RoceAcclRegister.encode(profile)).profile())
            .isEqualTo(profile);
        valid++;
      } catch (InvalidProfileException e) {
        assertThat(e.field()).isNotEmpty();
      }
    }
    assertThat(valid).as("seed " + seed).isBetween(1, 19_999);
  }

  @Test
  void shouldShowTheBuiltInAndTheCapabilitiesInAQueryOfProfileZero() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    byte[] answer = register.query(0);
    ByteBuffer words = ByteBuffer.wrap(answer);
    assertThat(words.getInt(0)).isEqualTo(0x10000001);
    assertThat(words.getInt(4)).isEqualTo(0x00000001);
    assertThat(words.getInt(8)).isEqualTo(4 << 28 | 7 << 24 | 4_000);
    assertThat(RoceAcclRegister.decode(answer).profile()).isEqualTo(BuiltInProfiles.LAN);
    assertThat(register.activeId()).isZero();
  }

  @Test
  void shouldTouchOnlyWhatTheSelectBitsName() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    register.set(withWord0(RoceAcclRegister.encode(BuiltInProfiles.WAN, 3, false), 0));
    assertThat(register.activeProfile()).isEqualTo(BuiltInProfiles.LAN);
    assertThat(register.isAdaptive()).isTrue();

    register.set(withWord0(RoceAcclRegister.encode(BuiltInProfiles.WAN, 3, false), 1));
    assertThat(register.activeProfile()).isEqualTo(BuiltInProfiles.LAN);
    assertThat(register.isAdaptive()).isFalse();

    register.set(withWord0(RoceAcclRegister.encode(BuiltInProfiles.WAN, 3, true), 1 << 28));
    assertThat(register.activeId()).isEqualTo(3);
    assertThat(register.activeProfile()).isEqualTo(BuiltInProfiles.WAN);
    assertThat(register.isAdaptive()).isFalse();
    assertThat(RoceAcclRegister.decode(register.query(3)).profile()).isEqualTo(BuiltInProfiles.WAN);
  }

  @Test
  void shouldGiveNewConnectionsWhatWasSetLast() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    AdpParameters others = AdpParameters.DEFAULT.withRetryCount(3);
    assertThat(register.query()).isEqualTo(register.query(0));
    assertThat(register.parameters(others)).isEqualTo(others);

    register.set(RoceAcclRegister.encode(BuiltInProfiles.WAN, 7, false));
    assertThat(register.query()).isEqualTo(register.query(7)).isNotEqualTo(register.query(0));
    assertThat(ByteBuffer.wrap(register.query()).getInt(4)).isEqualTo(7 << 28);
    assertThat(register.parameters(others)).isEqualTo(others.withAdaptive(false));
    assertThatThrownBy(() -> register.parameters(others.withAckTimeout(0)))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("ack_timeout=0");

    // A set takes back what a query showed, read-only fields and all.
    RoceAcclRegister other = new RoceAcclRegister(BuiltInProfiles.LAN);
    other.set(register.query());
    assertThat(other.query()).isEqualTo(register.query());
  }

  private static byte[] withWord0(byte[] register, int word0) {
    ByteBuffer.wrap(register).putInt(0, word0);
    return register;
  }

  @Test
  void shouldNotSetReadOnlyFields() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    byte[] set = RoceAcclRegister.encode(BuiltInProfiles.WAN);
    ByteBuffer.wrap(set).putInt(8, 0x11000001);
    register.set(set);
    assertThat(ByteBuffer.wrap(register.query(1)).getInt(8)).isEqualTo(0x47000FA0);
  }

  @Test
  void shouldRefuseProfileZeroInASet() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    byte[] set = RoceAcclRegister.encode(BuiltInProfiles.WAN);
    ByteBuffer.wrap(set).putInt(4, 1);
    assertThatThrownBy(() -> register.set(set))
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("adp_retx_profile_id=0")
        .hasMessageContaining("1..7");
    assertThat(RoceAcclRegister.decode(register.query(0)).profile()).isEqualTo(BuiltInProfiles.LAN);
  }

  @Test
  void shouldKeepTheOldProfileAndModeWhenASetIsRefused() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    register.set(RoceAcclRegister.encode(BuiltInProfiles.WAN, 2, true));
    byte[] bad = RoceAcclRegister.encode(BuiltInProfiles.LOSSY, 2, false);
    bad[0x10 + 3] = 3; // time_base 3
    assertThatThrownBy(() -> register.set(bad)).isInstanceOf(InvalidProfileException.class);
    assertThat(register.activeId()).isEqualTo(2);
    assertThat(register.activeProfile()).isEqualTo(BuiltInProfiles.WAN);
    assertThat(register.isAdaptive()).isTrue();
  }

  @Test
  void shouldShowThatAProfileWasNeverSet() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.LAN);
    byte[] answer = register.query(7);
    assertThat(ByteBuffer.wrap(answer).getInt(0)).isEqualTo(1);
    assertThatThrownBy(() -> RoceAcclRegister.decode(answer).profile())
        .hasMessageContaining("adp_retx_profile_select");
    assertThatThrownBy(() -> register.query(8)).isInstanceOf(InvalidProfileException.class);
    assertThatThrownBy(() -> register.query(-1)).isInstanceOf(InvalidProfileException.class);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 63, 65})
  void shouldRefuseAnotherLength(int length) {
    assertThatThrownBy(() -> RoceAcclRegister.decode(new byte[length]).profile())
        .isInstanceOf(InvalidProfileException.class)
        .hasMessageContaining("=" + length);
  }

  @Test
  void shouldReadHexWithBlanksAndRefuseAnythingElse() {
    String hex = HEX.formatHex(RoceAcclRegister.encode(BuiltInProfiles.LAN));
    String spaced = hex.toUpperCase().replaceAll("(.{8})", "$1 \n");
    assertThat(RoceAcclRegister.parseHex("--hex", spaced)).isEqualTo(HEX.parseHex(hex));
    for (String bad :
        new String[] {
          "", hex.substring(1), hex.substring(2), hex + "00", "zz" + hex.substring(2)
        }) {
      assertThatThrownBy(() -> RoceAcclRegister.parseHex("--hex", bad))
          .isInstanceOf(InvalidValueException.class)
          .hasMessageContaining("--hex=")
          .hasMessageContaining("128");
    }
  }
}
