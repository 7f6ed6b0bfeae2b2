package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The programs of docs/guide/first-program.md, facade.md, nodes.md and queues.md: each compiles
 * with all warnings and prints what the page says.
 */
@Timeout(240)
class EmbeddingProgramsTest {
  private static final Pattern PROGRAM =
      Pattern.compile(
          "<!-- EmbeddingProgramsTest runs this: (\\w+) -->\n```java\n(.*?)```\n```text\n(.*?)```",
          Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void shouldRunEveryProgramOfThePages() throws Exception {
    Path guide = Path.of("..", "docs", "guide");
    String page =
        Files.readString(guide.resolve("first-program.md"))
            + Files.readString(guide.resolve("facade.md"))
            + Files.readString(guide.resolve("nodes.md"))
            + Files.readString(guide.resolve("queues.md"));
    List<String> names = new ArrayList<>();
    Matcher program = PROGRAM.matcher(page);
    while (program.find()) {
      names.add(program.group(1));
      new DocumentedProgram(directory, program.group(1), program.group(2))
          .shouldPrint(program.group(3));
    }
    assertThat(names).contains("ByChannels", "ByFutures", "ByNodes", "ByQueues");
    assertThat(names)
        .as("every program marked")
        .hasSize(page.split("public class ", -1).length - 1);
  }
}
