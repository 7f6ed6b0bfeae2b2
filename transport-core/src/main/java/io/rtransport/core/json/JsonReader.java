package io.rtransport.core.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Recursive-descent parser of one text. A new one is made for each document. */
final class JsonReader {
  /** Longest number. Longer ones are refused, because converting digits takes quadratic time. */
  private static final int NUMBER_CHARS_MAX = 1_000;

  private static final char END = (char) -1;

  private final String text;
  private int at;

  JsonReader(String text) {
    this.text = text;
  }

  Object readDocument() {
    if (text.length() > Json.LENGTH_CHARS_MAX) {
      throw error(text.length() + " characters, at most " + Json.LENGTH_CHARS_MAX);
    }
    Object value = readValue(0);
    skipSpace();
    if (at < text.length()) {
      throw unexpected("the end");
    }
    return value;
  }

  private Object readValue(int depth) {
    skipSpace();
    char c = peek();
    if (depth == Json.DEPTH_MAX && (c == '{' || c == '[')) {
      throw error("nested deeper than " + Json.DEPTH_MAX);
    }
    switch (c) {
      case '{':
        return readObject(depth);
      case '[':
        return readArray(depth);
      case '"':
        return readString();
      case 't':
        return readWord("true", Boolean.TRUE);
      case 'f':
        return readWord("false", Boolean.FALSE);
      case 'n':
        return readWord("null", null);
      default:
        if (c == '-' || isDigit(c)) {
          return readNumber();
        }
        throw unexpected("a value");
    }
  }

  private Map<String, Object> readObject(int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    at++;
    if (isNext('}')) {
      return object;
    }
    while (true) {
      skipSpace();
      int keyAt = at;
      if (peek() != '"') {
        throw unexpected("a key in double quotes");
      }
      String key = readString();
      if (object.containsKey(key)) {
        at = keyAt;
        throw error("key \"" + printable(key) + "\" stands twice in one object");
      }
      if (!isNext(':')) {
        throw unexpected("':'");
      }
      object.put(key, readValue(depth + 1));
      if (isNext('}')) {
        return object;
      }
      if (!isNext(',')) {
        throw unexpected("',' or '}'");
      }
    }
  }

  private List<Object> readArray(int depth) {
    List<Object> array = new ArrayList<>();
    at++;
    if (isNext(']')) {
      return array;
    }
    while (true) {
      array.add(readValue(depth + 1));
      if (isNext(']')) {
        return array;
      }
      if (!isNext(',')) {
        throw unexpected("',' or ']'");
      }
    }
  }

  private String readString() {
    at++;
    int from = at;
    while (at < text.length() && isPlain(text.charAt(at))) {
      at++;
    }
    if (peek() == '"' && at < text.length()) {
      return text.substring(from, at++);
    }
    StringBuilder s = new StringBuilder().append(text, from, at);
    while (true) {
      if (at >= text.length()) {
        throw error("the text ends inside a string");
      }
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return s.toString();
      }
      if (c < ' ') {
        throw error("control character " + (int) c + " inside a string");
      }
      s.append(c == '\\' ? readEscape() : c);
      at++;
    }
  }

  private static boolean isPlain(char c) {
    return c != '"' && c != '\\' && c >= ' ';
  }

  /**
   * Reads an escape, starting at its backslash. Leaves {@code at} on the escape's last character.
   */
  private char readEscape() {
    at++;
    switch (peek()) {
      case '"':
        return '"';
      case '\\':
        return '\\';
      case '/':
        return '/';
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'u':
        return readUnicode();
      default:
        throw unexpected("an escape");
    }
  }

  private char readUnicode() {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      at++;
      char c = peek();
      int digit = c < 128 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw unexpected("four hexadecimal digits");
      }
      value = value << 4 | digit;
    }
    return (char) value;
  }

  private Object readWord(String word, Object value) {
    if (!text.startsWith(word, at)) {
      throw unexpected("a value");
    }
    at += word.length();
    return value;
  }

  private Object readNumber() {
    int from = at;
    boolean isInteger = true;
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
    } else {
      skipDigits();
    }
    if (peek() == '.') {
      isInteger = false;
      at++;
      skipDigits();
    }
    if (peek() == 'e' || peek() == 'E') {
      isInteger = false;
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      skipDigits();
    }
    if (at - from > NUMBER_CHARS_MAX) {
      at = from;
      throw error("a number longer than " + NUMBER_CHARS_MAX + " characters");
    }
    return toNumber(text.substring(from, at), isInteger, from);
  }

  private Object toNumber(String digits, boolean isInteger, int from) {
    if (isInteger && !digits.equals("-0")) {
      try {
        return Long.parseLong(digits);
      } catch (NumberFormatException e) {
        return new BigDecimal(digits); // an integer of more than 64 bits
      }
    }
    BigDecimal exact;
    try {
      exact = new BigDecimal(digits);
    } catch (NumberFormatException | ArithmeticException e) {
      at = from;
      throw error("exponent out of range");
    }
    double nearest = Double.parseDouble(digits);
    boolean isExact =
        Double.isFinite(nearest) && new BigDecimal(Double.toString(nearest)).compareTo(exact) == 0;
    if (isExact) {
      return nearest;
    }
    boolean isLong = exact.scale() == 0 && exact.unscaledValue().bitLength() < Long.SIZE;
    return isLong ? (Object) exact.longValue() : exact; // 1…e0 is written as an integer, too
  }

  private void skipDigits() {
    if (!isDigit(peek())) {
      throw unexpected("a digit");
    }
    while (isDigit(peek())) {
      at++;
    }
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Skips space, and consumes {@code c} if it is next. */
  private boolean isNext(char c) {
    skipSpace();
    if (at < text.length() && text.charAt(at) == c) {
      at++;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : END;
  }

  private JsonException unexpected(String wanted) {
    String found =
        at < text.length() ? "'" + printable(text.substring(at, at + 1)) + "'" : "the end";
    return error("expected " + wanted + " but found " + found);
  }

  private static String printable(String s) {
    String quoted = JsonWriter.quote(s);
    return quoted.substring(1, quoted.length() - 1);
  }

  private JsonException error(String problem) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < at && i < text.length(); i++) {
      if (text.charAt(i) == '\n') {
        line++;
        lineStart = i + 1;
      }
    }
    return new JsonException(problem, line, at - lineStart + 1);
  }
}
