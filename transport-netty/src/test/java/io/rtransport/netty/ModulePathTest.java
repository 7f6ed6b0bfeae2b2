package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An application that is a module: it names one of ours, and sees of it what is exported. */
@Timeout(120)
class ModulePathTest {
  private static final List<String> PARTS =
      List.of("/io/netty/", "/agrona/", "/transport-core/", "/transport-netty/");

  @TempDir Path directory;
  private final ByteArrayOutputStream errors = new ByteArrayOutputStream();

  @Test
  void shouldRunReadmesExampleAsAModule() throws Exception {
    String example = EmbeddingExampleTest.IMPORTS + EmbeddingExampleTest.readmesExample();
    assertThat(compile("Hello", example)).as("%s", errors).isZero();

    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                directory.resolve("classes") + File.pathSeparator + modulePath(),
                "--module",
                "hello/hello.Hello")
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    try {
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(out).content().isEqualTo("the server said: hello\n");
    assertThat(process.exitValue()).isZero();
  }

  @Test
  void shouldNotLetAnApplicationSeeWhatIsInternal() throws Exception {
    assertThat(compile("Nosy", "class Nosy { io.rtransport.netty.internal.loop.LoopDriver its; }"))
        .isNotZero();
    assertThat(errors.toString())
        .contains("package io.rtransport.netty.internal.loop is not visible");
  }

  @Test
  void shouldNotLetAnApplicationSeeTheInsideOfCore() throws Exception {
    assertThat(compile("Nosy", "class Nosy { io.rtransport.core.window.WindowSublayer its; }"))
        .isNotZero();
    assertThat(errors.toString()).contains("package io.rtransport.core.window is not visible");
  }

  private int compile(String name, String source) throws IOException {
    Path module = Files.createDirectories(directory.resolve("hello"));
    Path info =
        Files.writeString(
            module.resolve("module-info.java"), "module hello { requires io.rtransport.netty; }");
    Path file = Files.writeString(module.resolve(name + ".java"), "package hello;\n" + source);
    return ToolProvider.getSystemJavaCompiler()
        .run(
            null,
            null,
            errors,
            "--release",
            "17",
            "-proc:none",
            "--module-path",
            modulePath(),
            "-d",
            directory.resolve("classes").toString(),
            info.toString(),
            file.toString());
  }

  /** What of this test's class path a user depends on. */
  private static String modulePath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> PARTS.stream().anyMatch(entry::contains))
        .filter(entry -> !entry.contains("test-classes") && !entry.contains("-tests"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
