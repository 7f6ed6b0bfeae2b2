package io.rtransport.netty.control;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.text.InvalidValueException;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthKnobsTest {
  @TempDir Path directory;

  private String file(String text, Charset charset) throws IOException {
    return Files.write(directory.resolve("knobs"), text.getBytes(charset)).toString();
  }

  private HealthKnobs read(String text) throws IOException {
    return HealthKnobs.ofFile("--node", file(text, UTF_8));
  }

  @Test
  void shouldReadAKnobFromEachLine() throws IOException {
    HealthKnobs knobs =
        read("# für uns\r\nretry-count=1\r\n\n  health-sensitivity=300  \n #\nretry-count=5");
    assertThat(knobs).hasToString("health-sensitivity=300 retry-count=5");
    assertThat(read("").isEmpty()).isTrue();
    assertThat(read("\uFEFFretry-count=1")).hasToString("retry-count=1");
  }

  @Test
  void shouldNameTheLineOrTheKnobThatIsWrong() {
    assertThatThrownBy(() -> read("\nretry-count=1\nretries=2"))
        .isInstanceOf(InvalidValueException.class)
        .hasMessageStartingWith("--node line 3=retries=2 is not valid: NAME is one of ");
    assertThatThrownBy(() -> read("retry-count"))
        .hasMessageStartingWith("--node line 1=retry-count is not valid: NAME=VALUE");
    assertThatThrownBy(() -> read("\nretry-count=6"))
        .hasMessage("--node line 2 retry-count=6 is not valid: 0..5");
    assertThatThrownBy(() -> read("retry-count=5 # why"))
        .hasMessage("--node line 1 retry-count=5 # why is not valid: 0..5");
  }

  @Test
  void shouldRefuseWhatIsNoFileOfKnobs() throws IOException {
    String longest = "retry-count=1\n#" + "x".repeat(HealthKnobs.FILE_LENGTH_MAX - 15);
    assertThat(read(longest)).hasToString("retry-count=1");
    assertThatThrownBy(() -> read(longest + "x")).hasMessageContaining("at most 65536 bytes");
    String latin = file("# für uns", ISO_8859_1);
    assertThatThrownBy(() -> HealthKnobs.ofFile("--node", latin)).hasMessageContaining("in UTF-8");
    for (String other : new String[] {directory.toString(), "/dev/zero", "\0"}) {
      assertThatThrownBy(() -> HealthKnobs.ofFile("--node", other))
          .isInstanceOf(InvalidValueException.class);
    }
    String none = directory.resolve("none").toString();
    assertThatThrownBy(() -> HealthKnobs.ofFile("--node", none))
        .hasMessage(
            "--node=%s is not valid: a file of lines NAME=VALUE in UTF-8, at most 65536 bytes",
            none);
  }
}
