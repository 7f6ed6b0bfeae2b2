package io.rtransport.core.adp;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reader of a profile from the text of a file. It accepts three forms:
 *
 * <ul>
 *   <li>a JSON object ({@link AdpProfileJson});
 *   <li>a ROCE_ACCL dump in hexadecimal digits;
 *   <li>properties with the JSON's keys, each once: {@code timeBase=4}, {@code
 *       ranges.0.decMode=DIV_2}.
 * </ul>
 *
 * <p>Stateless; any thread.
 */
public final class AdpProfileText {
  private static final Pattern RANGE_KEY = Pattern.compile("ranges\\.(\\d)\\.(\\w+)");
  private static final Pattern INTEGER = Pattern.compile("-?\\d{1,18}");
  private static final Pattern HEX = Pattern.compile("[0-9a-fA-F\\s]+");

  private AdpProfileText() {}

  /**
   * Reads a profile, and whether adaptation is on.
   *
   * @throws io.rtransport.core.json.JsonException if it begins as JSON and is not valid JSON
   * @throws io.rtransport.core.text.InvalidValueException naming the first field that is wrong
   */
  public static AdpSelection parse(String text) {
    String stripped = withoutByteOrderMark(text).strip();
    if (stripped.startsWith("{") || stripped.startsWith("[")) {
      return AdpProfileJson.parse(stripped);
    }
    if (HEX.matcher(stripped).matches()) {
      return RoceAcclRegister.decode(RoceAcclRegister.parseHex("ROCE_ACCL dump", stripped));
    }
    return AdpProfileJson.fromValue(fromProperties(stripped));
  }

  /** Removes a byte order mark. Some editors begin a UTF-8 file with one. */
  private static String withoutByteOrderMark(String text) {
    return text.startsWith("\uFEFF") ? text.substring(1) : text;
  }

  private static Map<String, Object> fromProperties(String text) {
    Properties properties = new OnceProperties();
    try {
      properties.load(new StringReader(text));
    } catch (InvalidProfileException e) {
      throw e;
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidProfileException(
          "profile", "(text)", "JSON, properties or hexadecimal digits; " + e.getMessage());
    }
    Map<String, Object> map = new LinkedHashMap<>();
    List<Object> ranges = new ArrayList<>();
    Map<String, Map<String, Object>> byIndex = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      Matcher rangeKey = RANGE_KEY.matcher(key);
      Object value = value(properties.getProperty(key).strip());
      if (rangeKey.matches()) {
        byIndex
            .computeIfAbsent(rangeKey.group(1), i -> new LinkedHashMap<>())
            .put(rangeKey.group(2), value);
      } else {
        map.put(key, value);
      }
    }
    for (Map.Entry<String, Map<String, Object>> range : byIndex.entrySet()) {
      if (!range.getKey().equals(Integer.toString(ranges.size()))) {
        throw new InvalidProfileException(
            "ranges." + ranges.size(), "(missing)", "ranges are numbered from 0 without a gap");
      }
      ranges.add(range.getValue());
    }
    if (!ranges.isEmpty()) {
      Object whole = map.put("ranges", ranges);
      if (whole != null) {
        throw new InvalidProfileException("ranges", whole, "ranges.0.lowBound and so on instead");
      }
    }
    return map;
  }

  private static Object value(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> INTEGER.matcher(text).matches() ? (Object) Long.parseLong(text) : text;
    };
  }

  /**
   * Properties that refuse a duplicate key, as the JSON reader does. Of two values, one is not what
   * the author expects.
   */
  private static final class OnceProperties extends Properties {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized Object put(Object key, Object value) {
      if (containsKey(key)) {
        throw new InvalidProfileException(key.toString(), value, "a key that stands once");
      }
      return super.put(key, value);
    }
  }
}
