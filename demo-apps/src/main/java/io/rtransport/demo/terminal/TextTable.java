package io.rtransport.demo.terminal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Table for a terminal: columns as wide as their widest cell, numbers right-aligned by column. */
public final class TextTable {
  private final String[] titles;
  private final boolean[] rightAligned;
  private final List<String[]> rows = new ArrayList<>();

  /** Creates a table. A title that begins with '&gt;' makes its column right-aligned. */
  public TextTable(String... titles) {
    this.titles = titles.clone();
    rightAligned = new boolean[titles.length];
    for (int i = 0; i < titles.length; i++) {
      rightAligned[i] = titles[i].startsWith(">");
      this.titles[i] = rightAligned[i] ? titles[i].substring(1) : titles[i];
    }
  }

  /** Appends a row with as many cells as there are titles. */
  public TextTable row(String... cells) {
    if (cells.length != titles.length) {
      throw new IllegalArgumentException("cells=" + cells.length + ", valid: " + titles.length);
    }
    rows.add(cells.clone());
    return this;
  }

  public void print(PrintWriter out) {
    int[] widths = new int[titles.length];
    measure(titles, widths);
    rows.forEach(row -> measure(row, widths));
    out.println(line(titles, widths));
    rows.forEach(row -> out.println(line(row, widths)));
    out.flush();
  }

  private static void measure(String[] cells, int[] widths) {
    for (int i = 0; i < cells.length; i++) {
      widths[i] = Math.max(widths[i], width(cells[i]));
    }
  }

  private String line(String[] cells, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String blanks = " ".repeat(widths[i] - width(cells[i]));
      line.append(i == 0 ? "" : "  ")
          .append(rightAligned[i] ? blanks + cells[i] : cells[i] + blanks);
    }
    return line.toString().stripTrailing();
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
