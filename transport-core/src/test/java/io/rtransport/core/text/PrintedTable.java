package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * A table of a page in docs, mostly of reference/protocol.md, that a test prints from what the code
 * does, and compares with the page. {@code -Drt.tables=write} writes it there instead.
 */
public final class PrintedTable {
  private static final String PROTOCOL = "reference/protocol.md";
  private static final String END = "<!-- end -->\n";

  private PrintedTable() {}

  /** A column: its name, and what it says of a row. */
  public record Column<R>(String name, Function<R, String> cell) {}

  /** A row for each of {@code rows}, in each column what that says of it. */
  public static <R> String of(
      String corner, List<R> rows, Function<R, String> rowName, List<Column<R>> columns) {
    return of(
        corner, rows, rowName, columns, Column::name, (row, column) -> column.cell().apply(row));
  }

  /**
   * A row for each of {@code rows}, a column for each of {@code columns}, in each cell what {@code
   * cell} says.
   */
  public static <R, C> String of(
      String corner,
      List<R> rows,
      Function<R, String> rowName,
      List<C> columns,
      Function<C, String> columnName,
      BiFunction<R, C, String> cell) {
    StringBuilder text = new StringBuilder("| ").append(corner).append(" |");
    for (C column : columns) {
      text.append(' ').append(columnName.apply(column)).append(" |");
    }
    text.append("\n|---|").append("---|".repeat(columns.size())).append('\n');
    for (R row : rows) {
      text.append("| ").append(rowName.apply(row)).append(" |");
      for (C column : columns) {
        text.append(' ').append(cell.apply(row, column)).append(" |");
      }
      text.append('\n');
    }
    return text.toString();
  }

  /**
   * The page has {@code table} at the mark of {@code name}.
   *
   * @param test by which it is written anew
   */
  public static void check(Class<?> test, String name, String table) throws IOException {
    check(test, PROTOCOL, name, table);
  }

  /** The same of another page of docs. */
  public static void check(Class<?> test, String file, String name, String table)
      throws IOException {
    Path path = Path.of("..", "docs", file);
    String mark = "<!-- " + test.getSimpleName() + " prints this: " + name + " -->\n";
    String page = Files.readString(path);
    assertThat(page).contains(mark);
    int from = page.indexOf(mark) + mark.length();
    int to = page.indexOf(END, from);
    if ("write".equals(System.getProperty("rt.tables"))) {
      Files.writeString(path, page.substring(0, from) + table + page.substring(to));
      return;
    }
    assertThat(page.substring(from, to))
        .as(
            "stale? then: mvn -pl %s -am test -Dtest=%s -Drt.tables=write"
                + " -Dsurefire.failIfNoSpecifiedTests=false",
            Path.of("").toAbsolutePath().getFileName(), test.getSimpleName())
        .isEqualTo(table);
  }
}
