package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.command.OutputFile;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.protocol.Listing;
import io.rtransport.demo.terminal.TextTable;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code rt ls}: the files of a target. */
@Command(
    name = "ls",
    description = "Lists the files of a target.",
    footer = {"", "Example: rt ls --from 127.0.0.1:7400"})
final class ListCommand implements Callable<Integer> {
  @Mixin private CommonOptions common;

  @Option(
      names = "--from",
      required = true,
      paramLabel = "ADDR[,ADDR...]",
      description = "The target.")
  private String from;

  @Override
  public Integer call() throws IOException {
    List<HostPort> targets = HostPort.parseList("--from", from, 1);
    OutputFile json = common.json();
    try (ChannelInitiator initiator = ChannelInitiator.connect("--from", targets)) {
      List<Listing.Entry> files = initiator.list();
      TextTable table = new TextTable(">bytes", "modified", "name");
      files.forEach(file -> table.row(Long.toString(file.sizeBytes()), time(file), file.name()));
      table.print(common.out());
      json.writeJson(result(files));
    }
    return CommandErrors.OK;
  }

  private static String time(Listing.Entry file) {
    return Instant.ofEpochMilli(file.modifiedMillis()).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private Map<String, Object> result(List<Listing.Entry> files) {
    Map<String, Object> result = new LinkedHashMap<>();
    result.put("from", from);
    result.put(
        "files",
        files.stream()
            .map(
                file -> {
                  Map<String, Object> entry = new LinkedHashMap<>();
                  entry.put("name", file.name());
                  entry.put("bytes", file.sizeBytes());
                  entry.put("modified", time(file));
                  return entry;
                })
            .toList());
    return result;
  }
}
