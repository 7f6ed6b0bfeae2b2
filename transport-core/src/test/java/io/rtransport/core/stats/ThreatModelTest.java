package io.rtransport.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** docs/reference/threat-model.md names tests and scripts that exist, for every limit one. */
class ThreatModelTest {
  private static final Path SCRIPTS =
      Path.of("..", "simulator", "src", "test", "resources", "scripts");
  private static final Pattern NAME = Pattern.compile("`(\\w+)#(\\w+)`");
  private static final Pattern SCRIPT = Pattern.compile("`([a-z]+/[a-z0-9-]+\\.script)`");

  @Test
  void shouldNameTestsAndScriptsThatExist() throws IOException {
    String page = page();
    List<String> missing = new ArrayList<>();
    Matcher tests = NAME.matcher(page);
    int count = 0;
    while (tests.find()) {
      count++;
      if (!source(tests.group(1)).contains("void " + tests.group(2) + "(")) {
        missing.add(tests.group());
      }
    }
    Matcher scripts = SCRIPT.matcher(page);
    while (scripts.find()) {
      count++;
      if (!Files.exists(SCRIPTS.resolve(scripts.group(1)))) {
        missing.add(scripts.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(count).as("names found").isGreaterThan(50);
  }

  @Test
  void shouldGiveARowToEveryLimit() throws IOException {
    String limits = page().split("## Limits")[1];
    List<String> names =
        Arrays.stream(Limits.class.getDeclaredFields())
            .filter(field -> Modifier.isPublic(field.getModifiers()))
            .map(Field::getName)
            .toList();
    assertThat(names).isNotEmpty().allMatch(name -> limits.matches("(?s).*\\b" + name + "\\b.*"));
  }

  /** One that only stands in the list bounds nothing. */
  @Test
  void shouldEnforceEveryLimitSomewhereInTheProduct() throws IOException {
    StringBuilder product = new StringBuilder();
    for (String module : List.of("transport-core", "transport-netty")) {
      try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main"))) {
        for (Path file : files.filter(f -> f.toString().endsWith(".java")).toList()) {
          product.append(Files.readString(file));
        }
      }
    }
    for (Field limit : Limits.class.getDeclaredFields()) {
      if (Modifier.isPublic(limit.getModifiers())) {
        assertThat(product).containsPattern("Limits\\." + limit.getName() + "\\b");
      }
    }
  }

  @Test
  void shouldLetNoRowButTheOneWithoutAProofGoUnproven() throws IOException {
    List<String> unproven =
        page()
            .lines()
            .filter(line -> line.startsWith("| ") && !line.startsWith("| attack"))
            .filter(line -> !line.startsWith("| limit "))
            .filter(line -> !NAME.matcher(line).find() && !SCRIPT.matcher(line).find())
            .collect(Collectors.toList());
    assertThat(unproven).hasSize(1).allMatch(row -> row.endsWith("| roadmap |"));
  }

  private static String page() throws IOException {
    return Files.readString(Path.of("..", "docs", "reference", "threat-model.md"));
  }

  private static String source(String className) throws IOException {
    for (String module : List.of("transport-core", "simulator", "transport-netty", "demo-apps")) {
      Path tests = Path.of("..", module, "src", "test");
      try (Stream<Path> files = Files.walk(tests)) {
        Path file =
            files.filter(path -> path.endsWith(className + ".java")).findFirst().orElse(null);
        if (file != null) {
          return Files.readString(file);
        }
      }
    }
    return "";
  }
}
