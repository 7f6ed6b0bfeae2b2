package io.rtransport.core.adp;

import io.rtransport.core.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reader and writer of the profile file: one JSON object with the keys of docs/reference/adp.md.
 *
 * <ul>
 *   <li>Required: {@code timeBase}, {@code timeoutInitLowBound}, {@code timeoutInitRangeSize} and
 *       {@code ranges}.
 *   <li>Required in each range: {@code lowBound}, {@code size}, {@code retryNum} and {@code
 *       decMode}.
 *   <li>Required unless {@code qpTotalTimeout} is true: {@code retxTotalTimeout}.
 *   <li>Defaults: {@code timeUnit} 1, {@code qpTotalTimeout} false, {@code startRangeIndex} and
 *       {@code prevRangeIndex} 0, {@code roceAdpRetransEn} true.
 * </ul>
 *
 * <p>An unknown key is refused by its name. Stateless; any thread.
 */
public final class AdpProfileJson {
  private static final Set<String> KEYS =
      Set.of(
          "timeUnit",
          "timeBase",
          "qpTotalTimeout",
          "retxTotalTimeout",
          "timeoutInitLowBound",
          "timeoutInitRangeSize",
          "startRangeIndex",
          "roceAdpRetransEn",
          "ranges");
  private static final Set<String> RANGE_KEYS =
      Set.of("lowBound", "size", "retryNum", "decMode", "prevRangeIndex");

  private AdpProfileJson() {}

  /**
   * Writes the profile file of a profile. It has every key except {@code roceAdpRetransEn}, whose
   * default is true.
   */
  public static String write(AdpProfile profile) {
    return Json.writeIndented(toMap(profile));
  }

  /**
   * Writes the profile file of a selection. It has {@code roceAdpRetransEn} only if that is false.
   */
  public static String write(AdpSelection selection) {
    return Json.writeIndented(toMap(selection));
  }

  /** Returns a selection as a map in the order of the file. */
  public static Map<String, Object> toMap(AdpSelection selection) {
    Map<String, Object> map = toMap(selection.profile());
    if (!selection.isAdaptive()) {
      map.put("roceAdpRetransEn", false);
    }
    return map;
  }

  /** Returns a profile as a map in the order of the file. */
  public static Map<String, Object> toMap(AdpProfile profile) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("timeUnit", AdpProfile.TIME_UNIT_MICROSECONDS);
    map.put("timeBase", profile.timeBaseMicros());
    map.put("qpTotalTimeout", profile.qpTotalTimeout());
    map.put("retxTotalTimeout", profile.retxTotalTimeout());
    map.put("timeoutInitLowBound", profile.initLowBound());
    map.put("timeoutInitRangeSize", profile.initRangeSize());
    map.put("startRangeIndex", profile.startRangeIndex());
    List<Object> ranges = new ArrayList<>();
    for (int i = 0; i < profile.rangeCount(); i++) {
      ranges.add(toMap(profile.range(i)));
    }
    map.put("ranges", ranges);
    return map;
  }

  private static Map<String, Object> toMap(AdpRange range) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("lowBound", range.lowBound());
    map.put("size", range.size());
    map.put("retryNum", range.retryNum());
    map.put("decMode", range.decMode().name());
    map.put("prevRangeIndex", range.prevRangeIndex());
    return map;
  }

  /**
   * Reads a profile file.
   *
   * @throws io.rtransport.core.json.JsonException if it is not JSON
   * @throws InvalidProfileException naming the first key that is unknown, missing or wrong
   */
  public static AdpSelection parse(String json) {
    return fromValue(Json.parse(json));
  }

  /**
   * Returns the selection in a value that {@link Json#parse(CharSequence)} has read. Throws like
   * {@link #parse}.
   */
  public static AdpSelection fromValue(Object value) {
    ProfileObject object = ProfileObject.of("profile", value, KEYS);
    boolean isQpTotal = object.flag("qpTotalTimeout", "qp_total_timeout", false);
    AdpProfile.Builder builder =
        AdpProfile.builder()
            .timeUnit(object.number("timeUnit", "time_unit", 1))
            .timeBaseMicros(object.number("timeBase", "time_base"))
            .qpTotalTimeout(isQpTotal)
            .retxTotalTimeout(totalExponent(object, isQpTotal))
            .initLowBound(object.number("timeoutInitLowBound", "timeout_init_low_bound"))
            .initRangeSize(object.number("timeoutInitRangeSize", "timeout_init_range_size"))
            .startRangeIndex(object.number("startRangeIndex", "start_range_index", 0));
    List<?> ranges = object.list("ranges", "range_num");
    ProfileFields.check("range_num", "ranges", ranges.size(), 1, AdpProfile.RANGE_COUNT_MAX);
    for (int i = 0; i < ranges.size(); i++) {
      builder.range(range(i, ranges.get(i)));
    }
    return new AdpSelection(
        builder.build(), object.flag("roceAdpRetransEn", "roce_adp_retrans_en", true));
  }

  private static int totalExponent(ProfileObject object, boolean isQpTotal) {
    return isQpTotal
        ? object.number("retxTotalTimeout", "retx_total_timeout", 0)
        : object.number("retxTotalTimeout", "retx_total_timeout");
  }

  private static AdpRange range(int index, Object value) {
    ProfileObject object = ProfileObject.of("ranges[" + index + "]", value, RANGE_KEYS);
    return new AdpRange(
        object.number("lowBound", "range_low_bound"),
        object.number("size", "range_size"),
        object.number("retryNum", "timeout_retry_num"),
        decMode(index, object.value("decMode", "dec_mode")),
        object.number("prevRangeIndex", "prev_range_index", 0));
  }

  private static DecMode decMode(int index, Object value) {
    for (DecMode mode : DecMode.values()) {
      if (mode.name().equals(value)) {
        return mode;
      }
    }
    throw ProfileFields.refused(
        ProfileFields.registerName(index, "dec_mode"),
        ProfileFields.fileName(index, "decMode"),
        Json.write(value),
        "\"DIV_4\", \"DIV_2\" or \"LOW_BOUND\"");
  }
}
