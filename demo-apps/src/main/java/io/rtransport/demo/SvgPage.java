package io.rtransport.demo;

import java.util.Locale;

/**
 * The few SVG elements that a drawing needs, as one self-contained document: no script, no style
 * sheet, no own font.
 */
final class SvgPage {
  /** Position of a text relative to its point. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  private final StringBuilder out = new StringBuilder();

  SvgPage(int width, int height, String title, String description) {
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " role=\"img\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">",
        width, height, width, height);
    add("<title>%s</title>", escaped(title));
    add("<desc>%s</desc>", escaped(description));
    add("<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>", width, height);
  }

  void text(double x, double y, Anchor anchor, int size, String colour, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" font-size=\"%d\" fill=\"%s\">%s</text>",
        x, y, anchor.name().toLowerCase(Locale.ROOT), size, colour, escaped(text));
  }

  /** Draws a straight line; {@code dash} as in stroke-dasharray, empty for none. */
  void line(double x1, double y1, double x2, double y2, String colour, String dash) {
    add(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>",
        x1, y1, x2, y2, colour, dash.isEmpty() ? "" : " stroke-dasharray=\"" + dash + "\"");
  }

  void box(double x, double y, double width, double height, String fill) {
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        x, y, width, height, fill);
  }

  void dot(double x, double y, double radius, String colour) {
    add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>", x, y, radius, colour);
  }

  /** Strokes a path of M, H, V and L commands; nothing for an empty one. */
  void path(CharSequence commands, String colour, double width) {
    if (commands.length() > 0) {
      add(
          "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"/>",
          commands, colour, width);
    }
  }

  /** Returns the document. */
  String finish() {
    return out + "</svg>\n";
  }

  private void add(String format, Object... values) {
    out.append(format(format, values)).append('\n');
  }

  /** Formats numbers with a decimal point on every machine. */
  static String format(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }

  /** Escapes text. XML has no control characters, not even escaped. */
  private static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                default -> safe.appendCodePoint(isXml(c) ? c : '?');
              }
            });
    return safe.toString();
  }

  private static boolean isXml(int c) {
    boolean isSurrogate = c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
    return !Character.isISOControl(c) && !isSurrogate && c != 0xFFFE && c != 0xFFFF;
  }
}
