package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.OutputFile;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.demo.initiator.QueueInitiator;
import io.rtransport.demo.showcase.GeneratedFiles;
import io.rtransport.demo.showcase.ScratchDirectory;
import io.rtransport.demo.showcase.Showcase;
import io.rtransport.demo.showcase.ShowcaseResult;
import io.rtransport.demo.terminal.Progress;
import io.rtransport.demo.terminal.TextTable;
import io.rtransport.demo.terminal.Units;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/**
 * {@code rt demo}: the main job without set-up. This class reads the options and prints; {@link
 * Showcase} does the work.
 */
@Command(
    name = "demo",
    description = {
      "Shows the main job with no set-up: a target and an initiator as two processes over loopback UDP push files,",
      "pull them back and compare SHA-256 sums while datagrams are thrown away. Ends with VERIFIED or FAILED."
    },
    footer = {"", "Example: rt demo --loss 0.1 --json demo.json"})
final class DemoCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;
  @ParentCommand private RtCommand rt;

  @Option(
      names = "--loss",
      paramLabel = "P",
      defaultValue = "0.01",
      description = "Part of the datagrams thrown away, each way (default: ${DEFAULT-VALUE}).")
  private String loss;

  @Option(
      names = "--files",
      paramLabel = "PATH",
      arity = "1..*",
      description = "Your files (default: generated ones of 1 B to 64 MiB).")
  private List<Path> files;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Draws generated files and losses (default: ${DEFAULT-VALUE}).")
  private String seed;

  @Option(
      names = "--rails",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Rails of the connection, 1 to 8, a socket each (default: ${DEFAULT-VALUE}). With 2 or more, the second one is killed while the largest file is pulled, and restored.")
  private String rails;

  @Option(
      names = "--api",
      paramLabel = "NAME",
      defaultValue = "channel",
      description =
          "How the initiator uses RT: channel (default), or queue, with files of up to 64 MiB and one rail.")
  private String api;

  @Override
  public Integer call() throws Exception {
    double lossPart = Quantity.probability("--loss", loss);
    long seedValue = Quantity.seed("--seed", seed);
    int railCount = (int) Quantity.count("--rails", rails, 1, Limits.PATHS_MAX);
    boolean isByQueues = Choice.of("--api", api, "channel", "queue").equals("queue");
    if (isByQueues && railCount > 1) { // a whole message comes at once: no kill is in its middle
      throw new InvalidValueException("--rails", rails, "1 with --api queue");
    }
    long totalBytes = files == null ? 0 : PushedNames.check("--files", files);
    if (isByQueues && files != null) {
      checkWholeMessages();
    }
    OutputFile json = common.json();
    ShowcaseResult result;
    try (ScratchDirectory scratch = ScratchDirectory.make()) {
      List<Path> sent = files;
      if (sent == null) {
        sent = GeneratedFiles.write(scratch.directory("files"), seedValue);
        totalBytes = PushedNames.check("--files", sent);
      }
      try (Progress progress = Progress.of(common.err(), "demo", 2 * totalBytes)) {
        result =
            new Showcase(
                    scratch, sent, lossPart, railCount, seedValue, isByQueues, rt.interruption())
                .run(RtCommand.class, progress::add);
      }
    }
    print(result);
    json.writeJson(result.json());
    return result.isVerified() ? CommandErrors.OK : CommandErrors.FAILED;
  }

  private void checkWholeMessages() throws IOException {
    for (Path file : files) {
      if (Files.size(file) > QueueInitiator.FILE_BYTES_MAX) {
        throw new InvalidValueException(
            "--files",
            file.toString(),
            "files of 0.." + QueueInitiator.FILE_BYTES_MAX + " bytes with --api queue");
      }
    }
  }

  private void print(ShowcaseResult result) {
    PrintWriter out = common.out();
    TextTable table =
        new TextTable("file", ">size", "asked first", "sha256 sent", "stored", "pulled", "");
    for (ShowcaseResult.File file : result.files()) {
      table.row(
          file.name(),
          Units.bytes(file.sizeBytes()),
          file.isSolicited() ? "yes" : "no",
          brief(file.sha256Sent()),
          same(file.sha256Sent(), file.sha256Stored()),
          same(file.sha256Sent(), file.sha256Pulled()),
          file.reason() == null ? "" : CommandErrors.oneLine(file.reason()));
    }
    table.print(out);
    result.lines().forEach(out::println);
    out.println(result.isVerified() ? "VERIFIED" : "FAILED");
    out.flush();
  }

  private static String brief(String sum) {
    return sum == null ? "-" : sum.substring(0, 12);
  }

  private static String same(String sent, String other) {
    return other == null ? "missing" : other.equals(sent) ? "same" : "DIFFERENT";
  }
}
