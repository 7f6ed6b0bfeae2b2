package io.rtransport.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rtransport.command.Interruption;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine;

/** A command line run in this process: its exit status and what it printed. */
record CommandRun(int status, String out, List<String> err) {
  static CommandRun of(String... arguments) {
    return of(new Interruption(), arguments);
  }

  static CommandRun of(Interruption interruption, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine commandLine = RtCommand.commandLine(interruption);
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    int status = commandLine.execute(arguments);
    return new CommandRun(status, out.toString(), err.toString().lines().toList());
  }

  static JsonNode json(Path file) throws IOException {
    return new ObjectMapper().readTree(file.toFile());
  }
}
