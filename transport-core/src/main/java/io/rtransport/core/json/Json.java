package io.rtransport.core.json;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * Small, strict reader and writer of JSON (RFC 8259). Stateless; any thread.
 *
 * <p>The reader returns {@link java.util.Map} (insertion order), {@link java.util.List}, {@link
 * String}, {@link Boolean} and null. A number is a {@link Long} if it is an integer that fits, a
 * {@link Double} if the double prints as the same number, else a {@link java.math.BigDecimal}. So
 * no digit is lost.
 *
 * <p>These are errors, reported with their position: a duplicate key in an object, an extra comma,
 * a comment, an unescaped control character, bytes that are not UTF-8, and text after the value.
 *
 * <p>The writer takes the same types, every finite {@link Number} of the JDK, {@link CharSequence},
 * {@link Enum} (its name), any {@link Iterable}, and arrays of objects, int, long and double. Keys
 * keep their order.
 */
public final class Json {
  /** Most characters that are read. */
  public static final int LENGTH_CHARS_MAX = 1 << 26;

  /** Deepest nesting of arrays and objects that is read or written. */
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
   * Writes a value like {@link #write(Object)}, indented by two spaces. Short arrays of simple
   * values stay on one line.
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
