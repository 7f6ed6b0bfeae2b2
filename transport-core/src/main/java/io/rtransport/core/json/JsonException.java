package io.rtransport.core.json;

/**
 * Refusal of text that is not JSON, or longer or deeper than allowed. The message is one line and
 * begins with the position.
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

  /** Returns the line of the first wrong character, from 1. */
  public int line() {
    return line;
  }

  /** Returns the column of the first wrong character, from 1. */
  public int column() {
    return column;
  }
}
