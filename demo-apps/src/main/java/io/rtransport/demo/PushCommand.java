package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.NodeOption;
import io.rtransport.command.OutputFile;
import io.rtransport.command.ProfileOptions;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.FilePusher;
import io.rtransport.demo.initiator.PushedFile;
import io.rtransport.demo.initiator.PushedFile.End;
import io.rtransport.demo.initiator.RequestException;
import io.rtransport.demo.terminal.Progress;
import io.rtransport.demo.terminal.TextTable;
import io.rtransport.demo.terminal.Units;
import io.rtransport.netty.control.AdpSettings;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code rt push}: copies files of this machine to a target. */
@Command(
    name = "push",
    description = {
      "Pushes files to a target, which stores them under their last name.",
      "A file that the target has already, with equal size and checksum, is not sent again."
    },
    footer = {"", "Example: rt push a.bin b.bin --to 127.0.0.1:7400"})
final class PushCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;
  @Mixin private ProfileOptions adp;
  @Mixin private NodeOption node;
  @ParentCommand private RtCommand rt;

  @Parameters(paramLabel = "FILE", arity = "1..*", description = "Files to push.")
  private List<Path> files;

  @Option(
      names = "--to",
      required = true,
      paramLabel = "ADDR[,ADDR...]",
      description = "The target.")
  private String to;

  @Override
  public Integer call() throws Exception {
    List<HostPort> targets = HostPort.parseList("--to", to, 1);
    long totalBytes = PushedNames.check("FILE", files);
    AdpSettings settings = adp.read();
    OutputFile json = common.json();
    node.apply();
    long startNs = System.nanoTime();
    List<PushedFile> ends;
    try (ChannelInitiator initiator = ChannelInitiator.connect("--to", targets, settings);
        Progress progress = Progress.of(common.err(), "push", totalBytes)) {
      Runnable cancel = rt.interruption().onRequest(initiator::abort);
      ends = new FilePusher(initiator, files, progress::add).push();
      cancel.run();
    } catch (RequestException e) {
      throw new CommandFailure("nothing was pushed: " + e.getMessage());
    }
    long elapsedNs = System.nanoTime() - startNs;
    print(ends, elapsedNs);
    json.writeJson(result(ends, elapsedNs));
    long done = ends.stream().filter(PushedFile::isDone).count();
    if (done == files.size()) {
      return CommandErrors.OK;
    }
    String interrupted = rt.interruption().isRequested() ? "interrupted; " : "";
    throw new CommandFailure(
        interrupted
            + (files.size() - done)
            + " of "
            + files.size()
            + " files are not known to be stored; the same push again sends only what is missing");
  }

  private void print(List<PushedFile> ends, long elapsedNs) {
    TextTable table = new TextTable("name", ">size", "end", ">time", ">rate", "");
    for (PushedFile file : ends) {
      table.row(
          file.name(),
          Units.bytes(file.sizeBytes()),
          file.end().name().toLowerCase(Locale.ROOT),
          Units.seconds(file.elapsedNs()),
          file.end() == End.STORED ? Units.rate(file.sizeBytes(), file.elapsedNs()) : "",
          file.reason() == null ? "" : CommandErrors.oneLine(file.reason()));
    }
    table.print(common.out());
    common
        .out()
        .printf(
            "%d stored, %d already there, %d failed, %d unknown; %s%n",
            count(ends, End.STORED),
            count(ends, End.PRESENT),
            count(ends, End.FAILED),
            count(ends, End.UNKNOWN),
            Units.seconds(elapsedNs));
    common.out().flush();
  }

  private static long count(List<PushedFile> ends, End end) {
    return ends.stream().filter(file -> file.end() == end).count();
  }

  private Map<String, Object> result(List<PushedFile> ends, long elapsedNs) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("to", to);
    result.put("files", ends.stream().map(PushCommand::entry).toList());
    for (End end : End.values()) {
      result.put(end.name().toLowerCase(Locale.ROOT), count(ends, end));
    }
    result.put(
        "bytes",
        ends.stream()
            .filter(file -> file.end() == End.STORED)
            .mapToLong(PushedFile::sizeBytes)
            .sum());
    result.put("seconds", elapsedNs / 1e9);
    return result;
  }

  private static Map<String, Object> entry(PushedFile file) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", file.name());
    entry.put("path", file.path().toString());
    entry.put("bytes", file.sizeBytes());
    entry.put("sha256", Units.hex(file.sha256()));
    entry.put("end", file.end().name().toLowerCase(Locale.ROOT));
    entry.put("reason", file.reason());
    entry.put("seconds", file.elapsedNs() / 1e9);
    return entry;
  }
}
