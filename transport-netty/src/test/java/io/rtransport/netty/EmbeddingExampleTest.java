package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** README's embedding example, compiled as it stands and run by every JDK from 17 that is found here, without a JVM flag. */
@Timeout(120)
class EmbeddingExampleTest {
  private static final String IMPORTS =
      """
      import static java.nio.charset.StandardCharsets.UTF_8;
      import io.netty.bootstrap.*;
      import io.netty.buffer.*;
      import io.netty.channel.*;
      import io.netty.channel.ChannelHandler.Sharable;
      import io.netty.channel.nio.*;
      import io.netty.channel.socket.nio.*;
      import io.rtransport.netty.*;
      """;

  @TempDir Path directory;

  @Test
  void shouldRunReadmesExampleWithoutFlagAndWithoutWarning() throws Exception {
    Path source = directory.resolve("Hello.java");
    Files.writeString(source, IMPORTS + exampleOf(Path.of("..", "README.md")));
    compile(source);
    Map<Integer, Path> jdks = jdks();
    assertThat(jdks).isNotEmpty();
    for (Map.Entry<Integer, Path> jdk : jdks.entrySet()) {
      run(jdk.getKey(), jdk.getValue());
    }
  }

  private static String exampleOf(Path readme) throws IOException {
    Matcher block =
        Pattern.compile("EmbeddingExampleTest.*?```java\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(readme));
    assertThat(block.find()).as("README has the example").isTrue();
    return block.group(1);
  }

  private void compile(Path source) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    int status =
        compiler.run(
            null,
            null,
            null,
            "--release",
            "17",
            "-cp",
            classPath(),
            "-d",
            directory.toString(),
            source.toString());
    assertThat(status).as("the example compiles").isZero();
  }

  private void run(int version, Path java) throws Exception {
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(
                java.toString(),
                "-cp",
                directory + System.getProperty("path.separator") + classPath(),
                "Hello")
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("ends on JDK %d", version).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(out)
        .as("output on JDK %d", version)
        .content(StandardCharsets.UTF_8)
        .isEqualTo("the server said: hello\n");
    assertThat(withoutTestLogging(Files.readAllLines(err)))
        .as("warnings on JDK %d", version)
        .isEmpty();
    assertThat(process.exitValue()).isZero();
  }

  /** The test class path has an API of a logger and no logger, of which that API complains; a user's has not. */
  private static List<String> withoutTestLogging(List<String> lines) {
    return lines.stream().filter(line -> !line.startsWith("SLF4J")).toList();
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  /** Java launchers by version: the one that runs this test, and those installed beside it. */
  private static Map<Integer, Path> jdks() throws IOException {
    Map<Integer, Path> found = new TreeMap<>();
    Path own = Path.of(System.getProperty("java.home"));
    found.put(Runtime.version().feature(), own.resolve("bin/java"));
    try (Stream<Path> beside = Files.list(own.toRealPath().getParent())) {
      for (Path home : beside.toList()) {
        Path release = home.resolve("release");
        Path java = home.resolve("bin/java");
        if (Files.isReadable(release) && Files.isExecutable(java)) {
          Matcher version =
              Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(release));
          if (version.find() && Integer.parseInt(version.group(1)) >= 17) {
            found.putIfAbsent(Integer.parseInt(version.group(1)), java);
          }
        }
      }
    }
    return found;
  }
}
