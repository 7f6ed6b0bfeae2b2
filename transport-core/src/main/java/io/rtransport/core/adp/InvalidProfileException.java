package io.rtransport.core.adp;

import io.rtransport.core.text.InvalidValueException;

/**
 * A profile, a register or a parameter that is refused. The message is one line with the field's
 * name (in the register and, where it differs, in the profile file), its value and the valid range.
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

  /** The name of the field. */
  public String field() {
    return field;
  }

  /** What it was set to. */
  public String value() {
    return value;
  }

  /** What it may be set to. */
  public String validRange() {
    return validRange;
  }
}
