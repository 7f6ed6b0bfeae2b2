package io.rtransport.core.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  private static final ObjectMapper JACKSON =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** To a terminal those from 0x80 to 0x9F are commands too. */
  @Test
  void shouldEscapeEveryControlCharacter() {
    for (char c = 0; c <= 0xFF; c++) {
      String written = Json.write(String.valueOf(c));
      assertThat(written.chars()).as("character %d", (int) c).noneMatch(Character::isISOControl);
      assertThat(Json.parse(written)).isEqualTo(String.valueOf(c));
    }
  }

  @Test
  void shouldReadEveryKindOfValue() {
    Object value =
        Json.parse(
            " {\"a\" : [1, -2, 0.5, 1e2, true, false, null, \"x\"],\n\t\"b\":{}, \"\":[] } ");
    Map<String, Object> expected = new LinkedHashMap<>();
    expected.put("a", Arrays.asList(1L, -2L, 0.5, 100.0, true, false, null, "x"));
    expected.put("b", Map.of());
    expected.put("", List.of());
    assertThat(value).isEqualTo(expected);
  }

  @Test
  void shouldKeepTheOrderOfKeys() {
    String text = "{\"z\":1,\"a\":2,\"m\":3}";
    assertThat(Json.write(Json.parse(text))).isEqualTo(text);
  }

  @Test
  void shouldReadNumbersWithoutLoss() {
    assertThat(Json.parse("9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(Json.parse("-9223372036854775808")).isEqualTo(Long.MIN_VALUE);
    assertThat(Json.parse("9223372036854775808")).isEqualTo(new BigDecimal("9223372036854775808"));
    assertThat(Json.parse("0.1")).isEqualTo(0.1);
    assertThat(Json.parse("0.10000000000000000001"))
        .isEqualTo(new BigDecimal("0.10000000000000000001"));
    assertThat(Json.parse("1e999")).isEqualTo(new BigDecimal("1e999"));
    assertThat(Json.parse("123456789012345676e-0")).isEqualTo(123_456_789_012_345_676L);
    assertThat(Json.parse("-9223372036854775808e0")).isEqualTo(Long.MIN_VALUE);
    assertThat(Json.parse("9223372036854775809e0"))
        .isEqualTo(new BigDecimal("9223372036854775809"));
    assertThat(Json.parse("-0")).isEqualTo(-0.0);
    assertThat(Json.parse("2.0")).isEqualTo(2.0);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "}",
        "[",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "[1 2]",
        "01",
        "-",
        "+1",
        "1.",
        ".5",
        "1e",
        "0x10",
        "NaN",
        "tru",
        "nul",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12\"",
        "\"a\nb\"",
        "// c\n1",
        "1 1",
        "{\"a\" 1}",
        "{\"a\":}",
        "\"\\"
      })
  void shouldRefuseWhatJacksonRefuses(String text) {
    assertThatThrownBy(() -> jackson(text)).isInstanceOf(JsonProcessingException.class);
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(JsonException.class)
        .hasMessageStartingWith("line ");
  }

  private static JsonNode jackson(String text) throws JsonProcessingException {
    JsonNode node = JACKSON.readTree(text);
    if (node.isMissingNode()) {
      throw new JsonProcessingException("empty") {
        private static final long serialVersionUID = 1L;
      };
    }
    return node;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"a\":1,\n  \"b\":x}` | 2 | 7 | expected a value but found 'x'",
        "`{\"a\":1,\"a\":2}` | 1 | 8 | key \"a\" stands twice in one object",
        "`[1` | 1 | 3 | expected ',' or ']' but found the end",
        "`[1]]` | 1 | 4 | expected the end but found ']'"
      })
  void shouldSayWhereAndWhat(String text, int line, int column, String problem) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOfSatisfying(
            JsonException.class,
            e -> {
              assertThat(e.line()).isEqualTo(line);
              assertThat(e.column()).isEqualTo(column);
            })
        .hasMessage("line " + line + ", column " + column + ": " + problem);
  }

  @Test
  void shouldLimitTheDepth() {
    // The value at depth 64 is the number, inside 64 arrays.
    assertThat(Json.parse("[".repeat(64) + "1" + "]".repeat(64))).isInstanceOf(List.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(65) + "1" + "]".repeat(65)))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("deeper than 64");
    assertThat(Json.parse("[".repeat(64) + "]".repeat(64))).isInstanceOf(List.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(65) + "]".repeat(65)))
        .as("an empty array is nested as deep as a full one")
        .isInstanceOf(JsonException.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(64) + "{}" + "]".repeat(64)))
        .isInstanceOf(JsonException.class);
    assertThatThrownBy(() -> Json.parse("[".repeat(1_000_000))).isInstanceOf(JsonException.class);
    List<Object> cycle = new ArrayList<>();
    cycle.add(cycle);
    assertThatThrownBy(() -> Json.write(cycle)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldLimitTheLengthOfANumber() {
    assertThat(Json.parse("9".repeat(1_000))).isEqualTo(new BigDecimal("9".repeat(1_000)));
    assertThatThrownBy(() -> Json.parse("9".repeat(1_001))).isInstanceOf(JsonException.class);
    assertThatThrownBy(() -> Json.parse("1e99999999999"))
        .isInstanceOf(JsonException.class)
        .hasMessageContaining("exponent");
  }

  @Test
  void shouldRefuseBytesThatAreNotUtf8() {
    assertThat(Json.parse("\"é€😀\"".getBytes(StandardCharsets.UTF_8))).isEqualTo("é€😀");
    assertThatThrownBy(() -> Json.parse(new byte[] {'"', (byte) 0xC3, '"'}))
        .isInstanceOf(JsonException.class);
  }

  @Test
  void shouldRefuseToWriteWhatHasNoJson() {
    for (Object value : new Object[] {Double.NaN, Float.POSITIVE_INFINITY, new Object()}) {
      assertThatThrownBy(() -> Json.write(value)).isInstanceOf(IllegalArgumentException.class);
    }
    Map<String, Object> nullKey = new LinkedHashMap<>();
    nullKey.put(null, 1);
    assertThatThrownBy(() -> Json.write(nullKey)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldWriteEveryKindOfNumberAndArray() {
    assertThat(
            Json.write(
                new Object[] {
                  (byte) 1,
                  (short) 2,
                  3,
                  4L,
                  0.1f,
                  0.1,
                  new BigDecimal("1.50"),
                  BigInteger.TEN,
                  new int[] {1},
                  new long[] {2},
                  new double[] {0.5},
                  Thread.State.NEW
                }))
        .isEqualTo("[1,2,3,4,0.1,0.1,1.50,10,[1],[2],[0.5],\"NEW\"]");
  }

  @Test
  void shouldWriteWhatItReadsAndNothingDeeper() {
    Object deep = List.of();
    for (int depth = 1; depth < Json.DEPTH_MAX; depth++) {
      deep = List.of(deep);
    }
    assertThat(Json.parse(Json.write(deep))).isEqualTo(deep);
    Object tooDeep = List.of(deep);
    assertThatThrownBy(() -> Json.write(tooDeep)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNotCutTheFractionOfAnyNumber() {
    DoubleAdder sum = new DoubleAdder();
    sum.add(1.5);
    LongAdder count = new LongAdder();
    count.add(Long.MAX_VALUE);
    assertThat(Json.write(new Object[] {sum, count, new AtomicLong(-3), new AtomicInteger(4)}))
        .isEqualTo("[1.5,9223372036854775807,-3,4]");
    sum.add(Double.POSITIVE_INFINITY);
    assertThatThrownBy(() -> Json.write(sum)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldIndent() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("a", List.of(1, 2));
    map.put("b", List.of(Map.of("c", 1)));
    map.put("d", Map.of());
    assertThat(Json.writeIndented(map))
        .isEqualTo(
            """
            {
              "a": [1, 2],
              "b": [
                {
                  "c": 1
                }
              ],
              "d": {}
            }
            """);
  }

  @Test
  void shouldAgreeWithJacksonOnRandomValuesBothWays() throws Exception {
    long seed = Long.getLong("seed", 20261121L);
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2_000; i++) {
      Object value = randomValue(random, 0);
      String ours = i % 2 == 0 ? Json.write(value) : Json.writeIndented(value);
      String because = "seed " + seed + ", value " + i + ": " + ours;
      JsonNode seen = JACKSON.readTree(ours);
      assertThat(Json.parse(ours)).as(because).isEqualTo(value);
      Object reread = Json.parse(JACKSON.writeValueAsString(seen));
      assertThat(seen.equals(JsonTest::compareNumbers, JACKSON.readTree(Json.write(reread))))
          .as(because)
          .isTrue();
    }
  }

  private static int compareNumbers(JsonNode a, JsonNode b) {
    boolean isSame =
        a.isNumber() && b.isNumber()
            ? a.decimalValue().compareTo(b.decimalValue()) == 0
            : a.equals(b);
    return isSame ? 0 : 1;
  }

  private static Object randomValue(SplittableRandom random, int depth) {
    switch (random.nextInt(depth < 5 ? 8 : 6)) {
      case 0:
        return random.nextLong() >> random.nextInt(64);
      case 1:
        double d = Double.longBitsToDouble(random.nextLong());
        return Double.isFinite(d) ? (Object) d : 0.25;
      case 2:
        return randomString(random);
      case 3:
        return random.nextBoolean();
      case 4:
        return null;
      case 5:
        return new BigDecimal(
                new BigInteger("12345678901234567890123").add(BigInteger.valueOf(random.nextInt())),
                7)
            .add(new BigDecimal("0.0000001"));
      case 6:
        List<Object> list = new ArrayList<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          list.add(randomValue(random, depth + 1));
        }
        return list;
      default:
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(5); i > 0; i--) {
          map.put(randomString(random), randomValue(random, depth + 1));
        }
        return map;
    }
  }

  private static String randomString(SplittableRandom random) {
    StringBuilder s = new StringBuilder();
    for (int i = random.nextInt(12); i > 0; i--) {
      int point = random.nextInt(4) == 0 ? random.nextInt(0x10FFFF) : random.nextInt(0x100);
      if (point < 0xD800 || point > 0xDFFF) {
        s.appendCodePoint(point);
      }
    }
    return s.toString();
  }
}
