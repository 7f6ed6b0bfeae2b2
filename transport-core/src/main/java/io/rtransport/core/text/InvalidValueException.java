package io.rtransport.core.text;

/**
 * Refusal of a value that a person gave. The message names the field, the value and the valid
 * values in one line.
 */
public class InvalidValueException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  /**
   * Longest part of a name or value in the message. It is enough to find the value again, and too
   * short to flood a terminal.
   */
  private static final int SHOWN_LENGTH_MAX = 120;

  /**
   * Makes the message.
   *
   * @param name of the field, as the person wrote it: {@code --loss}. Shown like the value, because
   *     a key of a file is also a name
   * @param value as given; control characters are shown as '?', and a long one is cut
   * @param valid the valid values, with range and unit
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
