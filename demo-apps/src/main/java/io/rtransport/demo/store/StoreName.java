package io.rtransport.demo.store;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * Name under which a file may be stored. The store is flat: a name is one component of a path. So
 * no name leads out of the root on any file system. These are refused: separators of any system,
 * {@code .} and {@code ..}, control characters (a terminal shows names), the store's own prefix,
 * the names that Windows reserves for devices, and more than 255 bytes of UTF-8. Immutable.
 */
public final class StoreName implements Comparable<StoreName> {
  /** Rules for a name, for messages. */
  public static final String VALID =
      "one file name of 1..255 bytes of UTF-8, without / \\ or control characters, not . or .., not beginning with .rt-, not a Windows"
          + " device name";

  /** Prefix of the store's own files in its root. */
  static final String RESERVED_PREFIX = ".rt-";

  private static final int LENGTH_BYTES_MAX = 255;
  private static final Set<String> DEVICES =
      Set.of("con", "prn", "aux", "nul", "conin$", "conout$");

  private final String text;

  private StoreName(String text) {
    this.text = text;
  }

  /** Returns the name, or null when the store does not accept it. */
  public static StoreName of(String text) {
    return isValid(text) ? new StoreName(text) : null;
  }

  private static boolean isValid(String text) {
    if (text.isEmpty()
        || text.length() > LENGTH_BYTES_MAX
        || text.equals(".")
        || text.equals("..")) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '/' || c == '\\' || Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        return false;
      }
    }
    return StandardCharsets.UTF_8.newEncoder().canEncode(text)
        && text.getBytes(StandardCharsets.UTF_8).length <= LENGTH_BYTES_MAX
        && !text.toLowerCase(Locale.ROOT).startsWith(RESERVED_PREFIX)
        && !isDevice(text);
  }

  /**
   * Returns whether Windows takes the name for a device: {@code NUL}, {@code nul.txt}, {@code COM1
   * .x}. Windows considers only the part before the first dot.
   */
  private static boolean isDevice(String text) {
    int dot = text.indexOf('.');
    String stem = (dot < 0 ? text : text.substring(0, dot)).strip().toLowerCase(Locale.ROOT);
    return DEVICES.contains(stem) || stem.matches("(com|lpt)[1-9\u00b9\u00b2\u00b3]");
  }

  /** Returns the name itself. */
  public String text() {
    return text;
  }

  @Override
  public int compareTo(StoreName other) {
    return text.compareTo(other.text);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof StoreName that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
