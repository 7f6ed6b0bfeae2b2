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
import javax.tools.ToolProvider;

/**
 * A program of our documentation, compiled as it stands, and run by every JDK from 17 that is found
 * here, without a JVM flag.
 */
final class DocumentedProgram {
  private final Path directory;
  private final String name;

  /** Writes and compiles {@code source}, whose public class is {@code name}. */
  DocumentedProgram(Path directory, String name, String source) throws IOException {
    this.directory = directory;
    this.name = name;
    Path file = Files.writeString(directory.resolve(name + ".java"), source);
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "17",
                "-Xlint:all,-path,-classfile",
                "-Werror",
                "-proc:none",
                "-cp",
                classPath(),
                "-d",
                directory.toString(),
                file.toString());
    assertThat(status).as("%s compiles", name).isZero();
  }

  /** Runs it by all JDKs at a time, and holds what it prints to {@code output}, no warning. */
  void shouldPrint(String output) throws Exception {
    Map<Integer, Path> jdks = jdks();
    assertThat(jdks).isNotEmpty();
    Map<Integer, Process> processes = new TreeMap<>();
    try {
      for (Map.Entry<Integer, Path> jdk : jdks.entrySet()) {
        processes.put(jdk.getKey(), started(jdk.getKey(), jdk.getValue()));
      }
      for (Map.Entry<Integer, Process> process : processes.entrySet()) {
        hold(process.getKey(), process.getValue(), output);
      }
    } finally {
      processes.values().forEach(Process::destroyForcibly);
    }
  }

  private Process started(int version, Path java) throws IOException {
    return new ProcessBuilder(
            java.toString(),
            "-cp",
            directory + System.getProperty("path.separator") + classPath(),
            name)
        .redirectOutput(out(version).toFile())
        .redirectError(err(version).toFile())
        .start();
  }

  private void hold(int version, Process process, String output) throws Exception {
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("ends on JDK %d", version).isTrue();
    assertThat(withoutTestLogging(Files.readAllLines(err(version))))
        .as("warnings of %s on JDK %d", name, version)
        .isEmpty();
    assertThat(out(version))
        .as("output of %s on JDK %d", name, version)
        .content(StandardCharsets.UTF_8)
        .isEqualTo(output);
    assertThat(process.exitValue()).isZero();
  }

  private Path out(int version) {
    return directory.resolve("out-" + version);
  }

  private Path err(int version) {
    return directory.resolve("err-" + version);
  }

  /**
   * The test class path has an API of a logger and no logger, of which that API complains; a user's
   * has not.
   */
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
