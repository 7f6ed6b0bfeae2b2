package io.rtransport.demo;

import io.rtransport.core.text.Quantity;
import picocli.CommandLine.Option;

/** How often a command does again what it does until Ctrl-C: {@code --count}. */
final class CountOption {
  /** Longest pause between two times. */
  static final long INTERVAL_NS_MAX = 24L * 3_600 * 1_000_000_000;

  private static final long COUNT_MAX = 1_000_000_000;

  @Option(
      names = {"-c", "--count"},
      paramLabel = "N",
      description = "Ends after N (default: at Ctrl-C).")
  private String text;

  boolean isGiven() {
    return text != null;
  }

  /** Returns what was given; null: nothing. */
  String text() {
    return text;
  }

  /** Returns how often at most. */
  long max() {
    return text == null ? Long.MAX_VALUE : Quantity.count("--count", text, 1, COUNT_MAX);
  }
}
