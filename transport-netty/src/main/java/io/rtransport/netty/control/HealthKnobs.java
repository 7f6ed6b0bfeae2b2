package io.rtransport.netty.control;

import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Knobs of health as a person sets them in a running node: {@code name=value}. All may change while
 * the node runs. Immutable; any thread.
 */
public final class HealthKnobs {
  /** Longest file of knobs, bytes. All knobs have some 500 bytes. */
  static final int FILE_LENGTH_MAX = 1 << 16;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private final Map<HealthParameter, Long> values;

  private HealthKnobs(Map<HealthParameter, Long> values) {
    this.values = values;
  }

  /**
   * Reads knobs. A knob that is given twice has its last value.
   *
   * @param option how the person gave them, for the message: {@code --set}
   * @param texts each {@code name=value}
   * @throws InvalidValueException naming the knob, its value and what is valid
   */
  public static HealthKnobs parse(String option, Collection<String> texts) {
    Map<HealthParameter, Long> values = new EnumMap<>(HealthParameter.class);
    for (String text : texts) {
      put(option, "", text, values);
    }
    return new HealthKnobs(values);
  }

  /**
   * @param before stands before the name of a knob whose value is wrong
   */
  private static void put(
      String option, String before, String text, Map<HealthParameter, Long> into) {
    int split = text.indexOf('=');
    if (split < 0) {
      throw new InvalidValueException(option, text, "NAME=VALUE, such as health-sensitivity=100");
    }
    HealthParameter parameter = find(option, text, text.substring(0, split));
    into.put(parameter, value(before, parameter, text.substring(split + 1)));
  }

  /**
   * Reads knobs from a file of UTF-8: a line {@code NAME=VALUE} for each. Empty lines, and those
   * that begin with #, say nothing. A knob that is given twice has its last value.
   *
   * @param option how the person gave the file, for the message: {@code --node}
   * @throws InvalidValueException naming the file, or the line that is wrong
   */
  public static HealthKnobs ofFile(String option, String file) {
    Map<HealthParameter, Long> values = new EnumMap<>(HealthParameter.class);
    int number = 0;
    for (String line : read(option, file).split("\\R", -1)) {
      number++;
      String text = line.strip();
      if (!text.isEmpty() && text.charAt(0) != '#') {
        String where = option + " line " + number;
        put(where, where + " ", text, values);
      }
    }
    return new HealthKnobs(values);
  }

  private static String read(String option, String file) {
    String valid = "a file of lines NAME=VALUE in UTF-8, at most " + FILE_LENGTH_MAX + " bytes";
    try {
      Path path = Path.of(file);
      // A pipe that nobody writes to would be waited for.
      byte[] bytes = Files.isRegularFile(path) ? atMost(FILE_LENGTH_MAX + 1, path) : null;
      if (bytes != null && bytes.length <= FILE_LENGTH_MAX) {
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
      }
    } catch (IOException | InvalidPathException e) {
      // not readable, or no text: the same message
    }
    throw new InvalidValueException(option, file, valid);
  }

  private static byte[] atMost(int length, Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      return in.readNBytes(length);
    }
  }

  private static HealthParameter find(String option, String text, String name) {
    List<String> names = new ArrayList<>();
    for (HealthParameter parameter : HealthParameter.values()) {
      if (parameter.text().equals(name)) {
        return parameter;
      }
      names.add(parameter.text());
    }
    throw new InvalidValueException(option, text, "NAME is one of " + String.join(", ", names));
  }

  private static long value(String before, HealthParameter parameter, String text) {
    String valid =
        parameter.min()
            + ".."
            + parameter.max()
            + (parameter.unit().isEmpty() ? "" : " " + parameter.unit());
    try {
      long value = Long.parseLong(text);
      if (value >= parameter.min() && value <= parameter.max()) {
        return value;
      }
    } catch (NumberFormatException e) {
      // no number: the same message
    }
    throw new InvalidValueException(before + parameter.text(), text, valid);
  }

  /** Returns whether there is nothing to set. */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  /**
   * Returns a configuration with these values.
   *
   * @throws IllegalArgumentException if they do not fit the others of {@code config}
   */
  public RailHealthConfig in(RailHealthConfig config) {
    RailHealthConfig.Builder builder = config.with();
    values.forEach(builder::set);
    return builder.build();
  }

  /** Returns them as a request has them, with blanks between them. */
  @Override
  public String toString() {
    List<String> texts = new ArrayList<>();
    values.forEach((parameter, value) -> texts.add(parameter.text() + "=" + value));
    return String.join(" ", texts);
  }
}
