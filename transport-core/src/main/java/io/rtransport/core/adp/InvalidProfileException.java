package io.rtransport.core.adp;

import io.rtransport.core.text.InvalidValueException;

/**
 * Refusal of a profile, a register or a parameter. The message is one line with the field's name,
 * its value and the valid range. The name is that in the register and, if different, that in the
 * profile file.
 */
public final class InvalidProfileException extends InvalidValueException {
  private static final long serialVersionUID = 1L;

  private final String field;
  private final String value;
  private final String validRange;

  public InvalidProfileException(String field, Object value, String validRange) {
    super(field, String.valueOf(value), validRange);
    this.field = field;
    this.value = String.valueOf(value);
    this.validRange = validRange;
  }

  /** Returns the name of the field. */
  public String field() {
    return field;
  }

  /** Returns the refused value. */
  public String value() {
    return value;
  }

  /** Returns the valid values. */
  public String validRange() {
    return validRange;
  }
}
