package io.rtransport.loadgen;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.Interruption;
import io.rtransport.command.OutputFile;
import io.rtransport.core.json.Json;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.report.Comparison;
import io.rtransport.loadgen.report.HtmlReport;
import io.rtransport.loadgen.report.ReportText;
import io.rtransport.loadgen.rig.JvmProcess;
import io.rtransport.loadgen.rig.LoadOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code rt compare}: the same run for several transports, round by round. Each run has its own
 * processes, so that no run affects a later one. An interrupt ends with the rounds that were
 * measured.
 */
@Command(
    name = "compare",
    description = "Measures several transports in turn, interleaved over rounds.",
    footer = {
      "",
      "Example: rt compare --transports rt,tcp,udp --op push --mtu 1408 --rate 0",
      "Exit status: 0 success, 1 a run failed or messages were lost, doubled or damaged by a"
          + " reliable transport, 2 usage error."
    })
final class CompareCommand implements Callable<Integer> {
  private static final int ROUNDS_MAX = 1_000;

  @Spec private CommandSpec spec;

  @Option(
      names = "--transports",
      paramLabel = "LIST",
      required = true,
      description = "Names as of load, comma-separated.")
  private String transports;

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "5", description = "Default 5.")
  private String rounds;

  @Mixin private LoadFlags flags;

  private volatile boolean stopped;
  private volatile JvmProcess running;

  @Override
  public Integer call() throws Exception {
    int roundCount = roundCount();
    List<String> names = names();
    List<Contender> contenders = Contender.of(names, flags);
    LoadOptions options = options(names);
    OutputFile json = OutputFile.of("--json", options.json());
    OutputFile html = OutputFile.of("--html", options.html());
    Interruption interruption = Interrupts.end(this::stop);
    try {
      return measure(contenders, roundCount, json, html);
    } finally {
      // The measured results are printed: an interrupt is no failure.
      interruption.release(CommandErrors.OK);
    }
  }

  LoadFlags flags() {
    return flags;
  }

  int roundCount() {
    return (int) Quantity.count("--rounds", rounds, 1, ROUNDS_MAX);
  }

  /** Checks the options for each transport. Returns those of the last. */
  LoadOptions options(List<String> names) {
    LoadOptions options = null;
    boolean hasRt = names.stream().anyMatch(CompareCommand::isRt);
    boolean hasQueue = names.stream().anyMatch(name -> QueueFlagReader.isQueue(flags, name));
    for (Contender contender : Contender.of(names, flags)) {
      boolean isBesideRt = hasRt && !isRt(contender.transport());
      options = LoadFlagReader.readBeside(flags, contender, isBesideRt, hasQueue);
    }
    if (options.mode() == LoadOptions.Mode.SERVER) {
      throw new InvalidValueException("--mode", flags.mode, "embedded or client");
    }
    return options;
  }

  private static boolean isRt(String name) {
    return name.startsWith("rt");
  }

  List<String> names() {
    List<String> names = List.of(transports.split(",", -1));
    if (names.stream().distinct().count() != names.size()) {
      throw new InvalidValueException("--transports", transports, "each name once");
    }
    return names;
  }

  private void stop() {
    stopped = true;
    JvmProcess process = running;
    if (process != null) {
      process.endInput();
    }
  }

  private int measure(List<Contender> contenders, int roundCount, OutputFile json, OutputFile html)
      throws Exception {
    Map<String, List<Map<String, Object>>> reports = new LinkedHashMap<>();
    contenders.forEach(contender -> reports.put(contender.label(), new ArrayList<>()));
    int status = CommandErrors.OK;
    for (int round = 0; round < roundCount && !stopped; round++) {
      for (Contender contender : contenders) {
        if (!stopped) {
          progress("round " + (round + 1) + " of " + roundCount + ": " + contender.label());
          status = Math.max(status, run(contender, reports.get(contender.label())));
        }
      }
    }
    progress("");
    reports.values().removeIf(List::isEmpty);
    if (reports.isEmpty()) {
      throw new CommandFailure("no run came to an end");
    }
    Map<String, Object> comparison = Comparison.of(reports);
    json.writeJson(comparison);
    if (html.isAskedFor()) {
      html.write(HtmlReport.comparison(comparison, reports));
    }
    spec.commandLine().getOut().print(ReportText.comparison(comparison));
    spec.commandLine().getOut().flush();
    return status;
  }

  @SuppressWarnings("unchecked") // keys of JSON objects are strings
  private int run(Contender contender, List<Map<String, Object>> reports) throws Exception {
    Path file = Files.createTempFile("rt-compare", ".json");
    try {
      List<String> arguments =
          new ArrayList<>(List.of("load", "--transport", contender.transport()));
      arguments.addAll(List.of("--json", file.toString()));
      arguments.addAll(sharedArguments(contender.transport()));
      if (contender.moderation() != null) {
        arguments.addAll(List.of("--moderation", contender.moderation()));
      }
      try (JvmProcess process = new JvmProcess(LoadCommand.class, arguments)) {
        running = process;
        if (stopped) {
          process.endInput();
        }
        process.awaitEndOfOutput(); // its report comes by the file
        int status = process.waitFor();
        if (Files.size(file) > 0) {
          reports.add((Map<String, Object>) Json.parse(Files.readAllBytes(file)));
        }
        return status;
      } finally {
        running = null;
      }
    } finally {
      Files.delete(file);
    }
  }

  /**
   * Returns the options as typed, without those of this command, those that do not apply to the
   * transport {@code name}, and the delay, which each contender has by itself.
   */
  List<String> sharedArguments(String name) {
    List<String> own =
        new ArrayList<>(
            List.of("--transports", "--rounds", "--json", "--html", "--hdr", "--moderation"));
    if (!isRt(name)) {
      own.addAll(LoadFlagReader.RT_ONLY);
    }
    if (!QueueFlagReader.isQueue(flags, name)) {
      own.addAll(QueueFlagReader.NAMES);
    }
    List<String> arguments = new ArrayList<>();
    // Distinct: an option that was given twice has all its values, and is listed twice.
    List<OptionSpec> given = spec.commandLine().getParseResult().matchedOptions();
    for (OptionSpec option : given.stream().distinct().toList()) {
      if (!own.contains(option.longestName())) {
        if (option.arity().max() == 0) {
          arguments.add(option.longestName());
        } else {
          option
              .originalStringValues()
              .forEach(value -> arguments.addAll(List.of(option.longestName(), value)));
        }
      }
    }
    return arguments;
  }

  private static void progress(String text) {
    if (System.console() != null) {
      System.err.print("\r\033[K" + text);
      System.err.flush();
    }
  }
}
