package io.rtransport.loadgen.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Medians, extremes and ratios of the reports of several transports over several rounds. Stateless.
 */
public final class Comparison {
  private static final String[][] RATIOS = {
    {"messagesPerSecond", "messagesPerSecond"},
    {"megabytesPerSecond", "megabytesPerSecond"},
    {"p50", "latencyMicros.p50"},
    {"p90", "latencyMicros.p90"},
    {"p99", "latencyMicros.p99"},
    {"p999", "latencyMicros.p999"},
  };

  private Comparison() {}

  /**
   * Returns the comparison as JSON.
   *
   * @param reports of each transport, one for each round, in the order of display
   */
  public static Map<String, Object> of(Map<String, List<Map<String, Object>>> reports) {
    List<Object> results = new ArrayList<>();
    Map<String, Map<String, Object>> medians = new LinkedHashMap<>();
    reports.forEach(
        (transport, rounds) -> {
          Map<String, Object> median = merged(rounds, Pick.MEDIAN);
          medians.put(transport, median);
          Map<String, Object> result = new LinkedHashMap<>();
          result.put("transport", transport);
          result.put("median", median);
          result.put("min", merged(rounds, Pick.MIN));
          result.put("max", merged(rounds, Pick.MAX));
          results.add(result);
        });
    Map<String, Object> comparison = new LinkedHashMap<>();
    comparison.put("results", results);
    comparison.put("ratios", ratios(medians));
    return comparison;
  }

  private static Map<String, Object> ratios(Map<String, Map<String, Object>> medians) {
    Map<String, Object> ratios = new LinkedHashMap<>();
    medians.forEach(
        (name, of) ->
            medians.forEach(
                (other, to) -> {
                  if (!name.equals(other)) {
                    Map<String, Object> ratio = new LinkedHashMap<>();
                    for (String[] field : RATIOS) {
                      ratio.put(field[0], ratio(at(of, field[1]), at(to, field[1])));
                    }
                    ratios.put(name + "/" + other, ratio);
                  }
                }));
    return ratios;
  }

  private static Double ratio(Object of, Object to) {
    if (of instanceof Number n && to instanceof Number d && d.doubleValue() != 0) {
      return n.doubleValue() / d.doubleValue();
    }
    return null;
  }

  /** Returns the value at a path of keys, or null. */
  static Object at(Map<String, Object> report, String path) {
    Object value = report;
    for (String key : path.split("\\.")) {
      value = value instanceof Map<?, ?> map ? map.get(key) : null;
    }
    return value;
  }

  private enum Pick {
    MEDIAN,
    MIN,
    MAX
  }

  /** Merges reports number by number. Other values come from the first round. */
  private static Map<String, Object> merged(List<Map<String, Object>> rounds, Pick pick) {
    Map<String, Object> merged = new LinkedHashMap<>();
    for (String key : rounds.get(0).keySet()) {
      merged.put(key, merged(rounds.stream().map(round -> round.get(key)).toArray(), pick));
    }
    return merged;
  }

  private static Object merged(Object[] values, Pick pick) {
    if (Arrays.stream(values).allMatch(Map.class::isInstance)) {
      return merged(Arrays.stream(values).map(Comparison::object).toList(), pick);
    }
    Number[] numbers =
        Arrays.stream(values)
            .filter(Number.class::isInstance)
            .map(Number.class::cast)
            .sorted((a, b) -> Double.compare(a.doubleValue(), b.doubleValue()))
            .toArray(Number[]::new);
    if (numbers.length == 0) {
      return values[0];
    }
    int middle = numbers.length / 2;
    return switch (pick) {
      case MIN -> numbers[0];
      case MAX -> numbers[numbers.length - 1];
      case MEDIAN ->
          numbers.length % 2 == 1
              ? numbers[middle]
              : (numbers[middle - 1].doubleValue() + numbers[middle].doubleValue()) / 2;
    };
  }

  @SuppressWarnings("unchecked") // keys of JSON objects are strings
  static Map<String, Object> object(Object value) {
    return (Map<String, Object>) value;
  }
}
