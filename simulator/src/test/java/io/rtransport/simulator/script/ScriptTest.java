package io.rtransport.simulator.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Every script below src/test/resources/scripts. */
class ScriptTest {
  private static final Path SCRIPTS = Path.of("src", "test", "resources", "scripts");

  @TestFactory
  Stream<DynamicTest> shouldDoWhatTheScriptsSay() throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.walk(SCRIPTS)) {
      files = found.filter(file -> file.toString().endsWith(".script")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    return files.stream()
        .map(
            file ->
                DynamicTest.dynamicTest(
                    SCRIPTS.relativize(file).toString(),
                    file.toUri(),
                    () -> new ScriptRunner(Script.read(file)).run()));
  }
}
