package io.rtransport.core.json;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A small strict reader and writer of JSON (RFC 8259). Stateless; any thread.
 *
 * <p>Reading gives {@link java.util.Map} (insertion order), {@link java.util.List}, {@link String},
 * {@link Boolean}, null, and for numbers {@link Long} where it is an integer that fits, {@link
 * Double} where the double prints as the same number, else {@link java.math.BigDecimal}: nothing is
 * lost. A key twice in an object, a comma too many, a comment, an unescaped control character,
 * bytes that are not UTF-8 and anything behind the value are errors with their position.
 *
 * <p>Writing takes the same types, every finite {@link Number} of the JDK, {@link CharSequence},
 * {@link Enum} (its name), any {@link Iterable}, and arrays of objects, int, long and double. Keys
 * keep their order.
 */
public final class Json {
  /** Most characters read. */
  public static final int LENGTH_CHARS_MAX = 1 << 26;

  /** Deepest nesting of arrays and objects read or written. */
  public static final int DEPTH_MAX = 64;

  private Json() {}

  /**
   * Reads one value.
   *
   * @throws JsonException if the text is not one JSON value, or too long, or too deep
   */
  public static Object parse(CharSequence text) {
    return new JsonReader(text.toString()).readDocument();
  }

  /**
   * Reads one value from UTF-8.
   *
   * @throws JsonException as above, or if the bytes are not UTF-8
   */
  public static Object parse(byte[] utf8) {
    try {
      return parse(StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(utf8)));
    } catch (CharacterCodingException e) {
      throw new JsonException("not UTF-8", 1, 1);
    }
  }

  /**
   * Writes a value on one line.
   *
   * @throws IllegalArgumentException for a type that has no JSON, a number that is not finite, a
   *     key that is null, or too deep a nesting
   */
  public static String write(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, false);
    return out.toString();
  }

  /**
   * As {@link #write(Object)}, indented by two spaces; short arrays of plain values stay on one
   * line.
   */
  public static String writeIndented(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, out, true);
    return out.append('\n').toString();
  }

  private static void write(Object value, Appendable out, boolean isIndented) {
    try {
      new JsonWriter(out, isIndented).write(value, 0);
    } catch (IOException e) {
      throw new AssertionError("a StringBuilder does not fail", e);
    }
  }
}
