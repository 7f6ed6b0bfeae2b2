package io.rtransport.core.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What the fuzz targets of command lines have in common: argument vectors, mostly of options that
 * there are with values that may fit them, and what every command line must come to. Knows no
 * parser.
 */
public final class FuzzCommandLine {
  private static final int ARGUMENTS_MAX = 24;
  private static final int RAW_BYTES_MAX = 24;

  private static final List<String> VALUES =
      List.of(
          "0",
          "1",
          "2",
          "5",
          "7",
          "16",
          "64",
          "100",
          "1024",
          "65507",
          "-1",
          "",
          " ",
          "1k",
          "64m",
          "2g",
          "1us",
          "3ms",
          "2s",
          "1m",
          "0.01",
          "0.5",
          "1",
          "1.5",
          "NaN",
          "1e9",
          "10..20",
          "1..0",
          "9223372036854775807",
          "99999999999999999999",
          "127.0.0.1:7400",
          "[::1]:7400",
          "h:1",
          "0.0.0.0:0",
          ":",
          "a,b",
          ",",
          "none",
          "on",
          "off",
          "auto",
          "rt",
          "tcp",
          "\0",
          "\n",
          "lan");

  private FuzzCommandLine() {}

  /**
   * The arguments behind the name of a command.
   *
   * @param options the names of its options
   * @param values what some of them take, beside what any might be given
   */
  public static List<String> arguments(FuzzInput input, List<String> options, List<String> values) {
    List<String> arguments = new ArrayList<>();
    for (int i = 0; i < ARGUMENTS_MAX && input.hasMore(); i++) {
      switch (input.below(8)) {
        case 0 -> arguments.add(one(input, options));
        case 1, 2 -> {
          arguments.add(one(input, options));
          arguments.add(one(input, VALUES));
        }
        case 3 -> {
          arguments.add(one(input, options));
          arguments.add(one(input, values));
        }
        case 4 -> arguments.add(one(input, options) + "=" + one(input, VALUES));
        case 5 -> arguments.add(one(input, VALUES));
        case 6 -> arguments.add(one(input, values));
        // A path of the fuzzer's own could name any file of the machine, and "@" a file of
        // arguments.
        default -> arguments.add(raw(input).replaceAll("[/@]", "_"));
      }
    }
    return arguments;
  }

  private static String one(FuzzInput input, List<String> of) {
    return of.get(input.below(of.size()));
  }

  private static String raw(FuzzInput input) {
    return new String(input.bytes(input.below(RAW_BYTES_MAX)), StandardCharsets.UTF_8);
  }

  /**
   * Either the options are valid, or what is not is said in one line of the error output, with exit
   * status 2 and nothing else printed: never a stack trace, never a failure that nobody foresaw.
   */
  public static void check(List<String> arguments, int status, String out, String err) {
    boolean isOneLine = err.lines().count() == 1 && err.startsWith("rt") && err.length() > 4;
    boolean isRight =
        status == 0
            ? err.isEmpty()
            : status == 2 && isOneLine && out.isEmpty() && !err.contains("unexpected");
    if (!isRight) {
      throw new AssertionError(arguments + " ends with " + status + ": " + err + out);
    }
  }
}
