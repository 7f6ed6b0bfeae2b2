package io.rtransport.simulator.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A script: a title, what it cites, how our connection is configured, then lines to be done in
 * order.
 *
 * @param name of the file
 * @param title what is proven, a sentence
 * @param cites the rules that it proves
 * @param settings of the connection, {@code key value}
 */
record Script(
    String name, String title, List<String> cites, List<Line> settings, List<Line> lines) {
  /** A line and where it stands. */
  record Line(int number, String text) {
    /** Its first word. */
    String verb() {
      return text.split(" ", 2)[0];
    }

    /** All behind the first word. */
    String rest() {
      String[] parts = text.split(" +", 2);
      return parts.length < 2 ? "" : parts[1].strip();
    }
  }

  static Script read(Path file) throws IOException {
    String title = null;
    List<String> cites = new ArrayList<>();
    List<Line> settings = new ArrayList<>();
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String raw : Files.readAllLines(file)) {
      number++;
      int comment = raw.indexOf('#');
      if (title == null && raw.startsWith("# ")) {
        title = raw.substring(2).strip();
      }
      Line line = new Line(number, (comment < 0 ? raw : raw.substring(0, comment)).strip());
      if (line.text.isEmpty()) {
        continue;
      }
      switch (line.verb()) {
        case "cites" -> cites.add(line.rest());
        case "ours", "with" -> settings.add(line);
        default -> lines.add(line);
      }
    }
    if (title == null || cites.isEmpty() || lines.isEmpty()) {
      throw new IllegalArgumentException(
          file + ": a title, a line `cites` and something to do are needed");
    }
    return new Script(file.getFileName().toString(), title, cites, settings, lines);
  }
}
