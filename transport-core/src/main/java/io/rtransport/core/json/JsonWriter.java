package io.rtransport.core.json;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Writes one value. Control characters, quotes, the backslash and lone surrogates are escaped; all
 * other characters stay as they are.
 */
final class JsonWriter {
  /** Longest array of simple values that is written on one line. */
  private static final int INLINE_MAX = 16;

  private final Appendable out;
  private final boolean isIndented;

  JsonWriter(Appendable out, boolean isIndented) {
    this.out = out;
    this.isIndented = isIndented;
  }

  void write(Object value, int depth) throws IOException {
    if (depth == Json.DEPTH_MAX && isContainer(value)) {
      throw new IllegalArgumentException("nested deeper than " + Json.DEPTH_MAX);
    }
    if (value == null || value instanceof Boolean) {
      out.append(String.valueOf(value));
    } else if (value instanceof Number n) {
      out.append(number(n));
    } else if (value instanceof CharSequence s) {
      out.append(quote(s));
    } else if (value instanceof Enum<?> e) {
      out.append(quote(e.name()));
    } else if (value instanceof Map<?, ?> map) {
      writeObject(map, depth);
    } else {
      writeArray(elements(value), depth);
    }
  }

  private static List<?> elements(Object value) {
    if (value instanceof List<?> list) {
      return list;
    }
    if (value instanceof Iterable<?> iterable) {
      List<Object> list = new ArrayList<>();
      iterable.forEach(list::add);
      return list;
    }
    if (value instanceof Object[] array) {
      return Arrays.asList(array);
    }
    if (value instanceof int[] array) {
      return Arrays.stream(array).boxed().toList();
    }
    if (value instanceof long[] array) {
      return Arrays.stream(array).boxed().toList();
    }
    if (value instanceof double[] array) {
      return Arrays.stream(array).boxed().toList();
    }
    throw new IllegalArgumentException("no JSON for " + value.getClass().getName());
  }

  private void writeObject(Map<?, ?> map, int depth) throws IOException {
    out.append('{');
    boolean isFirst = true;
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (entry.getKey() == null) {
        throw new IllegalArgumentException("a key is null");
      }
      separate(isFirst, depth + 1, false);
      isFirst = false;
      out.append(quote(entry.getKey().toString())).append(isIndented ? ": " : ":");
      write(entry.getValue(), depth + 1);
    }
    close(isFirst, depth, false);
    out.append('}');
  }

  private void writeArray(List<?> list, int depth) throws IOException {
    boolean isInline =
        list.size() <= INLINE_MAX && list.stream().noneMatch(JsonWriter::isContainer);
    out.append('[');
    boolean isFirst = true;
    for (Object element : list) {
      separate(isFirst, depth + 1, isInline);
      isFirst = false;
      write(element, depth + 1);
    }
    close(isFirst, depth, isInline);
    out.append(']');
  }

  private static boolean isContainer(Object value) {
    return value instanceof Map
        || value instanceof Iterable
        || (value != null && value.getClass().isArray());
  }

  private void separate(boolean isFirst, int depth, boolean isInline) throws IOException {
    if (!isFirst) {
      out.append(isIndented && isInline ? ", " : ",");
    }
    if (isIndented && !isInline) {
      newLine(depth);
    }
  }

  private void close(boolean isEmpty, int depth, boolean isInline) throws IOException {
    if (isIndented && !isInline && !isEmpty) {
      newLine(depth);
    }
  }

  private void newLine(int depth) throws IOException {
    out.append('\n').append("  ".repeat(depth));
  }

  private static String number(Number n) {
    // Double and Float print their own shortest digits. The adders of doubles print as a double.
    boolean isExact = n instanceof BigDecimal || n instanceof BigInteger;
    if (!isExact && !Double.isFinite(n.doubleValue())) {
      throw new IllegalArgumentException("number=" + n + ", valid: a finite number");
    }
    return n.toString();
  }

  static String quote(CharSequence s) {
    StringBuilder quoted = new StringBuilder(s.length() + 2).append('"');
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      switch (c) {
        case '"' -> quoted.append("\\\"");
        case '\\' -> quoted.append("\\\\");
        case '\n' -> quoted.append("\\n");
        case '\r' -> quoted.append("\\r");
        case '\t' -> quoted.append("\\t");
        default -> {
          if (Character.isISOControl(c) || isLoneSurrogate(s, i)) {
            quoted.append(String.format("\\u%04x", (int) c));
          } else {
            quoted.append(c);
          }
        }
      }
    }
    return quoted.append('"').toString();
  }

  private static boolean isLoneSurrogate(CharSequence s, int i) {
    char c = s.charAt(i);
    if (Character.isHighSurrogate(c)) {
      return i + 1 >= s.length() || !Character.isLowSurrogate(s.charAt(i + 1));
    }
    return Character.isLowSurrogate(c) && (i == 0 || !Character.isHighSurrogate(s.charAt(i - 1)));
  }
}
