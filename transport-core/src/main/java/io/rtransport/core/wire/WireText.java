package io.rtransport.core.wire;

import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Short UTF-8 texts that explain an error to a person. They are never compared or parsed. A peer's
 * text reaches a terminal or a log, so it must contain no control characters. Allocates: not for
 * the data path.
 */
public final class WireText {
  /** Bytes of the longest text. */
  public static final int LENGTH_MAX = Limits.TEXT_LENGTH_MAX;

  private WireText() {}

  /**
   * Writes the beginning of {@code text} that fits into {@code lengthMax} bytes and {@link
   * #LENGTH_MAX}. Cuts only between characters. A null text is empty.
   *
   * @return the number of bytes written
   */
  public static int put(ByteBuffer to, int index, int lengthMax, String text) {
    if (text == null || text.isEmpty()) {
      return 0;
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, Math.min(lengthMax, LENGTH_MAX));
    // A byte 10xxxxxx continues a character. Step back to the first byte of that character.
    while (length > 0 && length < bytes.length && (bytes[length] & 0xC0) == 0x80) {
      length--;
    }
    to.put(index, bytes, 0, length);
    return length;
  }

  /**
   * Reads a text. Bytes that are not UTF-8 become the replacement character. Characters that could
   * control a terminal or change the display order become '?'. These are control characters, line
   * ends, marks of writing direction and other invisible ones.
   */
  public static String read(ByteBuffer from, int index, int length) {
    byte[] bytes = new byte[length];
    from.get(index, bytes);
    StringBuilder text = new StringBuilder(length);
    new String(bytes, StandardCharsets.UTF_8)
        .codePoints()
        .forEach(c -> text.appendCodePoint(isShown(c) ? c : '?'));
    return text.toString();
  }

  private static boolean isShown(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
