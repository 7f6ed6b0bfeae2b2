package io.rtransport.core.json;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.rtransport.core.fuzz.FuzzInput;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Our reader of JSON against Jackson's: both take a text or both refuse it, read the same, and what
 * ours writes is what was read.
 */
public final class JsonFuzz {
  private static final ObjectMapper JACKSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /** Bounds of ours that are no business of the grammar's. */
  private static final List<String> OWN_BOUNDS =
      List.of("nested deeper", "a number longer", "exponent out of range");

  /**
   * Jackson takes a character for the hexadecimal digit that its low eight bits are (2.x, from
   * characters); the grammar does not.
   */
  private static final Pattern DIGIT_TO_JACKSON_ALONE =
      Pattern.compile("\\\\u[0-9A-Fa-f]{0,3}[^\\x00-\\x7F]");

  /** Numbers are compared by what they are worth. */
  private static final Comparator<JsonNode> BY_VALUE =
      (a, b) -> {
        if (a.isNumber() && b.isNumber()) {
          return a.decimalValue().compareTo(b.decimalValue());
        }
        return a.equals(b) ? 0 : 1;
      };

  private JsonFuzz() {}

  /** One document. */
  public static void fuzzerTestOneInput(byte[] data) {
    String text = new FuzzInput(data).text();
    Object ours;
    try {
      ours = Json.parse(text);
    } catch (JsonException e) {
      boolean isOwnBound = OWN_BOUNDS.stream().anyMatch(e.getMessage()::contains);
      boolean isJacksonAlone =
          e.getMessage().contains("four hexadecimal digits")
              && DIGIT_TO_JACKSON_ALONE.matcher(text).find();
      if (!isOwnBound && !isJacksonAlone && theirs(text) != null) {
        throw new AssertionError("refused: " + text, e);
      }
      return;
    }
    JsonNode theirs = theirs(text);
    if (theirs == null) {
      throw new AssertionError("taken: " + text);
    }
    for (String written : new String[] {Json.write(ours), Json.writeIndented(ours)}) {
      if (!Objects.equals(Json.parse(written), ours)) {
        throw new AssertionError(ours + " was written as " + written);
      }
      if (!theirs.equals(BY_VALUE, theirs(written))) {
        throw new AssertionError(text + " was written as " + written);
      }
    }
  }

  private static JsonNode theirs(String text) {
    try {
      JsonNode node = JACKSON.readTree(text);
      return node == null || node.isMissingNode() ? null : node;
    } catch (JsonProcessingException | NumberFormatException e) {
      return null;
    }
  }
}
