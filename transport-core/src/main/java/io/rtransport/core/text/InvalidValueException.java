package io.rtransport.core.text;

/**
 * A value that a person gave is not valid: the message names the field, the value and what would be
 * valid, in one line.
 */
public class InvalidValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * Longest part of a name or value that is repeated in the message: enough to find it again, not
   * enough to flood a terminal.
   */
  private static final int SHOWN_LENGTH_MAX = 120;

  /**
   * @param name of the field, as the person wrote it: {@code --loss}; shown as the value is, for a
   *     key of a file is a name too
   * @param value as given; control characters are shown as '?', and a long one is cut
   * @param valid what would have been right, with its range and unit
   */
  public InvalidValueException(String name, String value, String valid) {
    super(shown(name) + "=" + shown(value) + " is not valid: " + valid);
  }

  private static String shown(String given) {
    StringBuilder text = new StringBuilder(Math.min(given.length(), SHOWN_LENGTH_MAX) + 3);
    for (int i = 0; i < given.length() && i < SHOWN_LENGTH_MAX; i++) {
      char c = given.charAt(i);
      text.append(Character.isISOControl(c) ? '?' : c);
    }
    return given.length() > SHOWN_LENGTH_MAX ? text.append("...").toString() : text.toString();
  }
}
