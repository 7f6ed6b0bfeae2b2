package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.CommandFailure;
import io.rtransport.command.NodeOption;
import io.rtransport.command.OutputFile;
import io.rtransport.command.ProfileOptions;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.FilePuller;
import io.rtransport.demo.initiator.RequestException;
import io.rtransport.demo.protocol.FileStat;
import io.rtransport.demo.store.StoreName;
import io.rtransport.demo.terminal.Progress;
import io.rtransport.demo.terminal.Units;
import io.rtransport.netty.control.AdpSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code rt pull}: copies a file of a target to this machine. */
@Command(
    name = "pull",
    description = "Pulls a file from a target and compares its checksum.",
    footer = {"", "Example: rt pull a.bin --from 127.0.0.1:7400 -o copy.bin"})
final class PullCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;
  @Mixin private ProfileOptions adp;
  @Mixin private NodeOption node;
  @ParentCommand private RtCommand rt;

  @Parameters(paramLabel = "NAME", description = "The file's name at the target.")
  private String name;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "ADDR[,ADDR...]",
      description = "The target.")
  private String from;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Where to, replaced once all is there and right (default: NAME here).")
  private Path output;

  @Override
  public Integer call() throws Exception {
    List<HostPort> targets = HostPort.parseList("--from", from, 1);
    if (StoreName.of(name) == null) {
      throw new InvalidValueException("NAME", name, StoreName.VALID);
    }
    Path to = output == null ? Path.of(name) : output;
    Path directory = to.toAbsolutePath().getParent();
    if (Files.isDirectory(to) || directory == null || !Files.isDirectory(directory)) {
      throw new InvalidValueException("-o", to.toString(), "a file in a directory that exists");
    }
    AdpSettings settings = adp.read();
    OutputFile json = common.json();
    node.apply();
    try (ChannelInitiator initiator = ChannelInitiator.connect("--from", targets, settings)) {
      pull(initiator, to, json);
    } catch (RequestException e) {
      String interrupted = rt.interruption().isRequested() ? "interrupted; " : "";
      throw new CommandFailure(interrupted + name + " was not pulled: " + e.getMessage());
    }
    return CommandErrors.OK;
  }

  private void pull(ChannelInitiator initiator, Path to, OutputFile json) throws IOException {
    Runnable cancel = rt.interruption().onRequest(initiator::abort);
    long startNs = System.nanoTime();
    FilePuller puller = new FilePuller(initiator);
    FileStat stat = puller.stat(name);
    byte[] sha256;
    try (Progress progress = Progress.of(common.err(), "pull", stat.sizeBytes())) {
      sha256 = puller.pull(name, stat, to, progress::add);
    } finally {
      cancel.run();
    }
    long elapsedNs = System.nanoTime() - startNs;
    String sum = Units.hex(sha256);
    common
        .out()
        .printf(
            "%s  %s  %s  %s  sha256 %s%n",
            name,
            Units.bytes(stat.sizeBytes()),
            Units.seconds(elapsedNs),
            Units.rate(stat.sizeBytes(), elapsedNs),
            sum);
    common.out().flush();
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("name", name);
    result.put("file", to.toString());
    result.put("bytes", stat.sizeBytes());
    result.put("sha256", sum);
    result.put("seconds", elapsedNs / 1e9);
    result.put("megabytesPerSecond", stat.sizeBytes() * 1e3 / Math.max(elapsedNs, 1));
    json.writeJson(result);
  }
}
