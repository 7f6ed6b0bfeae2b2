package io.rtransport.loadgen;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.ControlOption;
import io.rtransport.command.Interruption;
import io.rtransport.command.OutputFile;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.loadgen.report.HtmlReport;
import io.rtransport.loadgen.report.LoadReport;
import io.rtransport.loadgen.report.RailReport;
import io.rtransport.loadgen.report.ReportText;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.rig.LoadRun;
import io.rtransport.loadgen.rig.RunOutcome;
import io.rtransport.netty.control.ControlSocket;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code rt load}: one transport, one run, one report. An interrupt ends the run with the results
 * so far.
 */
@Command(
    name = "load",
    description = "Measures one transport.",
    footer = {
      "",
      "Example: rt load --transport rt --op echo --size 64 --rate 20000 --duration 10s",
      "Exit status: 0 success, 1 the run failed or messages were lost, doubled or damaged by a"
          + " reliable transport, 2 usage error."
    })
final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      defaultValue = "rt",
      description =
          "rt (default), rt:busy (--busy-poll), rt:queue (--api queue), tcp, tcp:packed (small messages copied together before the write), udp (the"
              + " raw floor), udp:gso, aeron (shared driver), aeron:invoker (driver invoked by a"
              + " spinning thread), quic or kcp.")
  private String transport;

  @Option(
      names = "--control",
      paramLabel = "PATH",
      description =
          "Answers rt stat at a unix socket of this path, for its owner alone: about this process, the"
              + " client, or the server with --mode server (rt).")
  private Path control;

  @Mixin private LoadFlags flags;

  @Override
  public Integer call() throws Exception {
    LoadOptions options = options();
    if (control != null && !options.transport().startsWith("rt")) {
      throw new InvalidValueException("--control", control.toString(), "with rt only");
    }
    try (ControlSocket socket = ControlOption.open("--control", control, ControlSocket::open)) {
      return run(options);
    }
  }

  private int run(LoadOptions options) throws Exception {
    if (options.mode() == LoadOptions.Mode.SERVER) {
      return ServeCommand.serve(options, spec.commandLine().getOut());
    }
    ReportFiles files = ReportFiles.of(options);
    PrintStream terminal = System.console() == null ? null : System.err;
    LoadRun run = new LoadRun(options, LoadCommand.class, terminal);
    Interruption interruption = Interrupts.end(run::stop);
    try {
      return report(run.execute(), files);
    } finally {
      // The measured results are printed: an interrupt is no failure.
      interruption.release(CommandErrors.OK);
    }
  }

  /** Returns the options, checked. */
  LoadOptions options() {
    return LoadFlagReader.read(flags, transport);
  }

  /** Files for the results. */
  private record ReportFiles(OutputFile json, OutputFile html, OutputFile hdr) {
    static ReportFiles of(LoadOptions options) {
      return new ReportFiles(
          OutputFile.of("--json", options.json()),
          OutputFile.of("--html", options.html()),
          OutputFile.of("--hdr", options.hdr()));
    }
  }

  private int report(RunOutcome outcome, ReportFiles files) {
    LoadReport report = new LoadReport(outcome);
    Map<String, Object> json = report.json();
    files.json.writeJson(json);
    if (files.html.isAskedFor()) {
      files.html.write(HtmlReport.run(json));
    }
    if (files.hdr.isAskedFor()) {
      files.hdr.write(distribution(report.latencies()));
    }
    spec.commandLine().getOut().print(ReportText.run(json));
    spec.commandLine().getOut().flush();
    List<String> ends =
        outcome.parts().stream()
            .flatMap(part -> part.driver().lanes().stream())
            .map(lane -> lane.closeReason())
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    ends.forEach(
        reason -> spec.commandLine().getErr().println("rt load: connection ended: " + reason));
    List<String> faults = RailReport.faults(json);
    faults.forEach(fault -> spec.commandLine().getErr().println("rt load: " + fault));
    return faults.isEmpty() && isSound(outcome.options(), json, ends.isEmpty())
        ? CommandErrors.OK
        : CommandErrors.FAILED;
  }

  /** Returns the distribution as HdrHistogram writes it, in microseconds. */
  private static String distribution(Histogram latencies) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(text, false, StandardCharsets.UTF_8)) {
      latencies.outputPercentileDistribution(out, 1_000.0);
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  /**
   * Returns whether the result is sound. Raw UDP may lose what the network loses. A reliable
   * transport may not, unless it was given more than it could carry.
   */
  private static boolean isSound(
      LoadOptions options, Map<String, Object> json, boolean isConnected) {
    if (options.transport().startsWith("udp")) {
      return true;
    }
    boolean ordered = options.settings().ordered();
    return isConnected
        && number(json, "failed") == 0
        && number(json, "duplicated") == 0
        && number(json, "corrupted") == 0
        && (!ordered || number(json, "outOfOrder") == 0)
        && number(json, "lost") <= number(json, "neverSent");
  }

  private static long number(Map<String, Object> json, String key) {
    return ((Number) json.get(key)).longValue();
  }
}
