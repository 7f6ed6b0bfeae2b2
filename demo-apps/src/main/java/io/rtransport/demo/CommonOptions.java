package io.rtransport.demo;

import io.rtransport.command.OutputFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options of every command with a result: {@code --help} and {@code --json}, and the output. */
final class CommonOptions {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the result as JSON.")
  private Path json;

  /**
   * Returns the file of {@code --json}, checked as writable. To be called before the work begins.
   */
  OutputFile json() {
    return OutputFile.of("--json", json);
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }

  PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
