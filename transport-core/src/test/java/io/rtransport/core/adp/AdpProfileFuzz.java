package io.rtransport.core.adp;

import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.json.JsonException;
import io.rtransport.core.text.InvalidValueException;

/**
 * Profile files in all three forms: a text is refused in one line that a terminal can show, or it
 * is a profile whose every field is in its range and that is the same after it was written as JSON,
 * as a register and as properties.
 */
public final class AdpProfileFuzz {
  private AdpProfileFuzz() {}

  /** One file. */
  public static void fuzzerTestOneInput(byte[] data) {
    String text = new FuzzInput(data).text();
    AdpSelection selection;
    try {
      selection = AdpProfileText.parse(text);
    } catch (JsonException | InvalidValueException e) {
      require(e.getMessage().chars().noneMatch(Character::isISOControl), "control character");
      return;
    }
    AdpProfile profile = selection.profile();
    int base = profile.timeBaseMicros();
    require(Integer.bitCount(base) == 1 && base >= 4 && base <= 32_768, "base");
    require(profile.rangeCount() >= 1 && profile.rangeCount() <= 4, "ranges");
    require(profile.startRangeIndex() < profile.rangeCount(), "start");
    require(AdpProfileText.parse(AdpProfileJson.write(selection)).equals(selection), "JSON");
    byte[] register = RoceAcclRegister.encode(selection, 1);
    require(RoceAcclRegister.decode(register).equals(selection), "register");
    require(AdpProfileText.parse(properties(selection)).equals(selection), "properties");
    for (int exponent = 0; exponent < 256; exponent++) {
      require(profile.timeNs(exponent) > 0, "time of " + exponent);
    }
  }

  private static String properties(AdpSelection selection) {
    AdpProfile profile = selection.profile();
    StringBuilder text = new StringBuilder();
    AdpProfileJson.toMap(selection)
        .forEach(
            (key, value) -> {
              if (!key.equals("ranges")) {
                text.append(key).append('=').append(value).append('\n');
              }
            });
    for (int i = 0; i < profile.rangeCount(); i++) {
      AdpRange range = profile.range(i);
      String key = "ranges." + i + ".";
      text.append(key).append("lowBound=").append(range.lowBound()).append('\n');
      text.append(key).append("size: ").append(range.size()).append('\n');
      text.append(key).append("retryNum ").append(range.retryNum()).append('\n');
      text.append(key).append("decMode=").append(range.decMode()).append('\n');
      text.append(key).append("prevRangeIndex=").append(range.prevRangeIndex()).append('\n');
    }
    return text.toString();
  }

  private static void require(boolean isRight, String what) {
    if (!isRight) {
      throw new AssertionError(what);
    }
  }
}
