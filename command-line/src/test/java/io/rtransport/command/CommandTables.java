package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.text.PrintedTable.Column;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * The tables of options of docs/reference/command-line.md: printed from the commands themselves,
 * one at the mark that bears the command's name.
 */
public final class CommandTables {
  private static final String FILE = "reference/command-line.md";

  private CommandTables() {}

  /**
   * The page has the table of each command below {@code root} that takes anything but {@code
   * --help}.
   *
   * @param test by which the tables are written anew
   */
  public static void check(Class<?> test, CommandLine root) throws IOException {
    for (CommandSpec command : commands(root)) {
      List<Row> rows = rows(command);
      if (!rows.isEmpty()) {
        PrintedTable.check(test, FILE, command.qualifiedName(), table(rows));
      }
    }
  }

  /** The page has a section, by a heading with its name, of each command below {@code root}. */
  public static void checkSections(CommandLine root) throws IOException {
    List<String> headings =
        Files.readString(Path.of("..", "docs", FILE))
            .lines()
            .filter(line -> line.startsWith("#"))
            .map(line -> line.replaceFirst("^#+ ", ""))
            .toList();
    List<String> names = commands(root).stream().map(CommandSpec::qualifiedName).toList();
    assertThat(names).isNotEmpty();
    assertThat(headings).containsAll(names);
  }

  /** Those that help shows, each before its own; not {@code root}. */
  static List<CommandSpec> commands(CommandLine root) {
    List<CommandSpec> commands = new ArrayList<>();
    for (CommandLine command : root.getSubcommands().values()) {
      if (!command.getCommandSpec().usageMessage().hidden()) {
        commands.add(command.getCommandSpec());
        commands.addAll(commands(command));
      }
    }
    return commands;
  }

  /** An option or a positional parameter: how it is typed, and what it does. */
  private record Row(String names, String description) {}

  /** Positional parameters in their order, then options by name. */
  private static List<Row> rows(CommandSpec command) {
    Stream<Row> positional =
        command.positionalParameters().stream()
            .filter(parameter -> !parameter.hidden())
            .map(parameter -> new Row(names(parameter), description(parameter)));
    Stream<Row> options =
        command.options().stream()
            .filter(option -> !option.hidden() && !option.usageHelp())
            .sorted(Comparator.comparing(OptionSpec::longestName))
            .map(option -> new Row(names(option), description(option)));
    return Stream.concat(positional, options).toList();
  }

  /** The table of a command, by itself. */
  static String table(CommandSpec command) {
    return table(rows(command));
  }

  private static String table(List<Row> rows) {
    return PrintedTable.of(
        "option", rows, Row::names, List.of(new Column<>("what it does", Row::description)));
  }

  private static String names(PositionalParamSpec parameter) {
    return code(label(parameter));
  }

  /** Short names first; the value stands behind the last. */
  private static String names(OptionSpec option) {
    List<String> names =
        Stream.of(option.names()).sorted(Comparator.comparingInt(String::length)).toList();
    String last = names.get(names.size() - 1);
    String typed = option.arity().max() > 0 ? last + " " + label(option) : last;
    return Stream.concat(names.subList(0, names.size() - 1).stream(), Stream.of(typed))
        .map(CommandTables::code)
        .collect(Collectors.joining(", "));
  }

  private static String label(ArgSpec spec) {
    return spec.arity().max() > 1 ? spec.paramLabel() + "…" : spec.paramLabel();
  }

  private static String code(String text) {
    return "`" + cell(text) + "`";
  }

  private static String description(ArgSpec spec) {
    return cell(String.join(" ", spec.description()));
  }

  private static String cell(String text) {
    return text.replaceAll("%n|\\s+", " ").replace("%%", "%").replace("|", "\\|").strip();
  }
}
