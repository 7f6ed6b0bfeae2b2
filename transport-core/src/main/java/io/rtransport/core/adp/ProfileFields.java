package io.rtransport.core.adp;

/**
 * Valid range of every profile field. A wrong field is named by its name in the register and its
 * name in the profile file.
 */
final class ProfileFields {
  private ProfileFields() {}

  static void check(String registerName, String fileName, int value, int min, int max) {
    if (value < min || value > max) {
      throw refused(registerName, fileName, value, interval(min, max));
    }
  }

  static InvalidProfileException refused(
      String registerName, String fileName, Object value, String valid) {
    return new InvalidProfileException(registerName + " (" + fileName + ")", value, valid);
  }

  static void checkTimeBase(int micros) {
    if (micros < AdpProfile.TIME_BASE_MICROS_MIN
        || micros > AdpProfile.TIME_BASE_MICROS_MAX
        || Integer.bitCount(micros) != 1) {
      String valid =
          "a power of two, "
              + interval(AdpProfile.TIME_BASE_MICROS_MIN, AdpProfile.TIME_BASE_MICROS_MAX)
              + " (microseconds)";
      throw refused("time_base", "timeBase", micros, valid);
    }
  }

  static void checkRange(int index, AdpRange range, int lowBoundMin) {
    // ROCE_ACCL layout, timeout range; ADP flow: sorted by range_low_bound, prev_range_index below
    // the range's own.
    checkInRange(
        index,
        "prev_range_index",
        "prevRangeIndex",
        range.prevRangeIndex(),
        0,
        Math.max(0, index - 1));
    if (range.decMode() == null) {
      throw refused(
          registerName(index, "dec_mode"), fileName(index, "decMode"), "null", decModes());
    }
    checkInRange(
        index, "timeout_retry_num", "retryNum", range.retryNum(), 1, AdpProfile.RETRY_NUM_MAX);
    if (range.lowBound() < lowBoundMin || range.lowBound() > AdpProfile.BYTE_MAX) {
      String rising = index == 0 ? "" : ", above range_low_bound of the range before";
      throw refused(
          registerName(index, "range_low_bound"),
          fileName(index, "lowBound"),
          range.lowBound(),
          interval(lowBoundMin, AdpProfile.BYTE_MAX) + rising);
    }
    checkInRange(index, "range_size", "size", range.size(), 0, AdpProfile.BYTE_MAX);
  }

  private static void checkInRange(
      int index, String registerName, String fileName, int value, int min, int max) {
    check(registerName(index, registerName), fileName(index, fileName), value, min, max);
  }

  static String registerName(int index, String name) {
    return "timeout_range[" + index + "]." + name;
  }

  static String fileName(int index, String name) {
    return "ranges[" + index + "]." + name;
  }

  static String decModes() {
    return "DIV_4 (0), DIV_2 (1), LOW_BOUND (2)";
  }

  private static String interval(int min, int max) {
    return min > max ? "none" : min == max ? "only " + min : min + ".." + max;
  }
}
