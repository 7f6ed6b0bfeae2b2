package io.rtransport.core.adp;

import io.rtransport.core.json.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * One object of a profile file while it is read. A wrong key or type is refused under the key's
 * name.
 */
final class ProfileObject {
  /**
   * Valid values of each key that holds a number, for the message when there is no number.
   * AdpProfile checks the values.
   */
  private static final Map<String, String> VALID =
      Map.of(
          "timeUnit", "only 1",
          "timeBase", "a power of two, 4..32768 (microseconds)",
          "retxTotalTimeout", "0..255",
          "timeoutInitLowBound", "0..255",
          "timeoutInitRangeSize", "1..255",
          "startRangeIndex", "0..number of ranges - 1",
          "lowBound", "0..255",
          "size", "0..255",
          "retryNum", "1..1023",
          "prevRangeIndex", "0..index of the range - 1");

  private final String place;
  private final Map<?, ?> map;

  private ProfileObject(String place, Map<?, ?> map) {
    this.place = place;
    this.map = map;
  }

  static ProfileObject of(String place, Object value, Set<String> keys) {
    if (!(value instanceof Map<?, ?> map)) {
      throw new InvalidProfileException(
          place, Json.write(value), "an object with the keys " + sorted(keys));
    }
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      if (!keys.contains(entry.getKey())) {
        String name = place.equals("profile") ? "" : place + ".";
        throw new InvalidProfileException(
            "unknown key " + name + entry.getKey(),
            Json.write(entry.getValue()),
            "the keys " + sorted(keys));
      }
    }
    return new ProfileObject(place, map);
  }

  private static String sorted(Set<String> keys) {
    return String.join(", ", new TreeSet<>(keys));
  }

  int number(String key, String registerName, int otherwise) {
    return map.containsKey(key) ? number(key, registerName) : otherwise;
  }

  int number(String key, String registerName) {
    Object value = value(key, registerName);
    // A value that is not an int is outside every field's range.
    if (value instanceof Long number && number == number.intValue()) {
      return number.intValue();
    }
    throw new InvalidProfileException(
        name(key, registerName), Json.write(value), "an integer, " + VALID.get(key));
  }

  boolean flag(String key, String registerName, boolean otherwise) {
    if (!map.containsKey(key)) {
      return otherwise;
    }
    if (map.get(key) instanceof Boolean flag) {
      return flag;
    }
    throw new InvalidProfileException(
        name(key, registerName), Json.write(map.get(key)), "true or false");
  }

  List<?> list(String key, String registerName) {
    Object value = value(key, registerName);
    if (value instanceof List<?> list) {
      return list;
    }
    throw new InvalidProfileException(
        name(key, registerName),
        Json.write(value),
        "an array of 1.." + AdpProfile.RANGE_COUNT_MAX + " ranges");
  }

  Object value(String key, String registerName) {
    if (!map.containsKey(key)) {
      String valid =
          VALID.getOrDefault(key, key.equals("decMode") ? ProfileFields.decModes() : "1..4 ranges");
      throw new InvalidProfileException(
          name(key, registerName), "(missing)", "must be there: " + valid);
    }
    return map.get(key);
  }

  /** Returns the name as {@link ProfileFields} does: the register's name, then the file's. */
  private String name(String key, String registerName) {
    return place.equals("profile")
        ? registerName + " (" + key + ")"
        : "timeout_"
            + place.replace("ranges", "range")
            + "."
            + registerName
            + " ("
            + place
            + "."
            + key
            + ")";
  }
}
