package io.rtransport.core.json;

/**
 * Text that is not JSON, or more of it than allowed. The message is one line and begins with the
 * position.
 */
public final class JsonException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;

  JsonException(String problem, int line, int column) {
    super("line " + line + ", column " + column + ": " + problem);
    this.line = line;
    this.column = column;
  }

  /** Line of the first offending character, from 1. */
  public int line() {
    return line;
  }

  /** Column of it in characters, from 1. */
  public int column() {
    return column;
  }
}
