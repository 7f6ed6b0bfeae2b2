package io.rtransport.loadgen;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The plots of docs/performance.md are what the script draws from the tables of their page. */
class ComparisonPageTest {
  private final Path root = Path.of("").toAbsolutePath().getParent();

  @Test
  void shouldShowTheFiguresOfTheTables(@TempDir Path directory) throws Exception {
    Process drawing =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "loadgen/scripts/Compared.java",
                "docs/results/2026-11-24-comparison.md",
                directory.toString())
            .directory(root.toFile())
            .inheritIO()
            .start();
    assertThat(drawing.waitFor()).isZero();

    assertThat(shown("compare-push.svg")).isEqualTo(drawn(directory, "compare-push.svg"));
    assertThat(shown("compare-echo.svg")).isEqualTo(drawn(directory, "compare-echo.svg"));
  }

  private String shown(String figure) throws IOException {
    return Files.readString(root.resolve("docs/figures").resolve(figure));
  }

  private static String drawn(Path directory, String figure) throws IOException {
    return Files.readString(directory.resolve(figure));
  }
}
