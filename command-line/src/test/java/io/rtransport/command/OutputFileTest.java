package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.text.InvalidValueException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputFileTest {
  @TempDir Path directory;

  @Test
  void shouldWriteWhereAFileCanBe() throws Exception {
    Path path = directory.resolve("result.json");
    OutputFile file = OutputFile.of("--json", path);
    assertThat(path).doesNotExist();
    assertThat(file.isAskedFor()).isTrue();
    file.writeJson(Map.of("a", 1L));
    assertThat(path).content().contains("\"a\": 1");
    OutputFile.of("--json", path).write("short");
    assertThat(path).hasContent("short");
  }

  @Test
  void shouldWriteNothingWhereTheOptionWasNotTyped() {
    OutputFile file = OutputFile.of("--json", null);
    assertThat(file.isAskedFor()).isFalse();
    file.write("x");
    file.writeJson(Map.of());
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatCannotBeWrittenBeforeTheWorkBegins() {
    for (Path wrong : new Path[] {directory, directory.resolve("no/file"), Path.of("/")}) {
      assertThatThrownBy(() -> OutputFile.of("--html", wrong))
          .isInstanceOf(InvalidValueException.class)
          .hasMessage(
              "--html="
                  + wrong
                  + " is not valid: a file that can be written, in a directory that exists");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldFailWhereTheDirectoryIsGoneInTheEnd() throws Exception {
    Path gone = Files.createDirectory(directory.resolve("gone"));
    OutputFile file = OutputFile.of("--json", gone.resolve("x"));
    Files.delete(gone);
    assertThatThrownBy(() -> file.write("x"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("--json=" + gone.resolve("x"));
  }
}
