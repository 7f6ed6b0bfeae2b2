package io.rtransport.demo;

import io.rtransport.core.text.InvalidValueException;
import java.util.List;

/** An option whose value is one of a few words. */
final class Choice {
  private Choice() {}

  /** Returns the value after the check. */
  static String of(String name, String value, String... valid) {
    if (!List.of(valid).contains(value)) {
      throw new InvalidValueException(name, value, "one of " + String.join(", ", valid));
    }
    return value;
  }
}
