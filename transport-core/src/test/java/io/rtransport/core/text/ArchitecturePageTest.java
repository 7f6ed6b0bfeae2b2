package io.rtransport.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Each class that docs/architecture.md names in code font is there, in the package it names. */
class ArchitecturePageTest {
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern CLASS =
      Pattern.compile("(?:\\b([a-z]+)/)?\\b([A-Z][a-z]+(?:[A-Z][a-z]*)*)\\b");

  @Test
  void shouldNameOnlyClassesThatAreThere() throws IOException {
    Set<String> sources =
        RepositoryFiles.all().stream()
            .map(Path::toString)
            .filter(file -> file.endsWith(".java"))
            .map(file -> file.substring(0, file.length() - ".java".length()))
            .collect(Collectors.toSet());
    Set<String> names = new TreeSet<>();
    Set<String> missing = new TreeSet<>();
    Matcher code =
        CODE.matcher(Files.readString(RepositoryFiles.ROOT.resolve("docs/architecture.md")));
    while (code.find()) {
      Matcher name = CLASS.matcher(code.group(1));
      while (name.find()) {
        String end = "/" + (name.group(1) == null ? "" : name.group(1) + "/") + name.group(2);
        names.add(end);
        if (sources.stream().noneMatch(source -> source.endsWith(end))) {
          missing.add(end);
        }
      }
    }
    assertThat(names).hasSizeGreaterThan(50);
    assertThat(missing).isEmpty();
  }
}
