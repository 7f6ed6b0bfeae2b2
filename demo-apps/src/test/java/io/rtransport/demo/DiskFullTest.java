package io.rtransport.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.rtransport.core.proof.ProofShare;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A target whose disk takes no more bytes in the middle of a push: that push fails, with the
 * reason; the connection and the target live on.
 */
@Tag("proof")
@Timeout(300)
class DiskFullTest {
  private static final int SHELL_BLOCK_BYTES = 512;
  private static final int FILE_BYTES_MAX = 4 << 20;
  private static final int LARGE_BYTES = 16 << 20;

  /** Room for one large file, not for two. */
  private static final int DISK_BYTES = 24 << 20;

  @TempDir private Path scratch;

  private final ProofShare share = new ProofShare();

  /**
   * The system refuses a write as a full disk does, with another error: EFBIG. Needs no privileges.
   */
  @Test
  void shouldFailThePushAloneWhenTheSystemTakesNoMoreBytesOfAFile() throws Exception {
    List<String> limited =
        List.of(
            "/bin/sh",
            "-c",
            "ulimit -f " + FILE_BYTES_MAX / SHELL_BLOCK_BYTES + " && exec \"$@\"",
            "sh");
    int rounds = share.times(2, 20);
    String large = large("large");
    try (DemoTarget target = new DemoTarget(limited, scratch.resolve("root"))) {
      for (int i = 0; i < rounds; i++) {
        List<JsonNode> files = push(target, 1, small("before" + i), large, small("after" + i));
        assertThat(end(files.get(0))).isEqualTo("stored");
        assertThat(end(files.get(1))).isEqualTo("failed");
        assertThat(files.get(1).get("reason").asText()).contains("no place for this message");
        assertThat(end(files.get(2))).as("on the same connection").isEqualTo("stored");
      }
      assertThat(CommandRun.of("ls", "--from", target.address()).out())
          .contains("before0", "after" + (rounds - 1))
          .doesNotContain("large");
      target.assertEndsWithoutParts();
    }
    System.out.printf("%d pushes past the longest file that the system allows%n", rounds);
  }

  /**
   * Two large files at once onto a disk that has room for one: a real full disk, where this user
   * may mount one.
   */
  @Test
  void shouldFailThePushAloneWhenTheDiskIsFull() throws Exception {
    Path disk = Files.createDirectory(scratch.resolve("disk"));
    int mounted = run("mount", "-t", "tmpfs", "-o", "size=" + DISK_BYTES, "tmpfs", disk.toString());
    if (mounted != 0) {
      System.out.println("DiskFullTest: no full disk, for this user may not mount a tmpfs");
    }
    assumeThat(mounted).isZero();
    int rounds = share.times(2, 20);
    try (DemoTarget target = new DemoTarget(List.of(), disk.resolve("root"))) {
      for (int i = 0; i < rounds; i++) {
        List<JsonNode> files = push(target, 1, large("large-a"), large("large-b"));
        assertThat(files.stream().map(DiskFullTest::end)).containsAnyOf("failed", "unknown");
        target.awaitNoParts();
        assertThat(end(push(target, 0, small("after" + i)).get(0))).isEqualTo("stored");
      }
      target.assertEndsWithoutParts();
    } finally {
      assertThat(run("umount", disk.toString())).isZero();
    }
    System.out.printf("%d times two pushes into a disk with room for one%n", rounds);
  }

  private String small(String name) throws IOException {
    return Files.writeString(scratch.resolve(name), name).toString();
  }

  private String large(String name) throws IOException {
    Path file = scratch.resolve(name);
    byte[] bytes = new byte[LARGE_BYTES];
    Arrays.fill(bytes, (byte) name.hashCode());
    return Files.write(file, bytes).toString();
  }

  private List<JsonNode> push(DemoTarget target, int status, String... files) throws IOException {
    Path json = scratch.resolve("push.json");
    List<String> command = new ArrayList<>(List.of("push"));
    command.addAll(List.of(files));
    command.addAll(List.of("--to", target.address(), "--json", json.toString()));
    CommandRun push = CommandRun.of(command.toArray(String[]::new));
    assertThat(push.status()).as(push.out()).isEqualTo(status);
    List<JsonNode> ends = new ArrayList<>();
    CommandRun.json(json).get("files").forEach(ends::add);
    return ends;
  }

  private static String end(JsonNode file) {
    return file.get("end").asText();
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(Redirect.DISCARD)
        .start()
        .waitFor();
  }

  /** {@code rt target} in a process of its own, started by way of {@code wrapper}. */
  private static final class DemoTarget implements AutoCloseable {
    private final Path root;
    private final Process process;
    private final String address;

    DemoTarget(List<String> wrapper, Path root) throws IOException {
      this.root = root;
      List<String> command = new ArrayList<>(wrapper);
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
      command.addAll(List.of("-cp", System.getProperty("java.class.path")));
      command.addAll(List.of(RtCommand.class.getName(), "target", "--listen", "127.0.0.1:0"));
      command.addAll(List.of("--root", root.toString(), "--until-stdin-ends"));
      // A line a refused push, with its stack trace: nobody reads them here.
      process = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
      BufferedReader out =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      address = out.readLine().replaceAll("listening on ([^ ,]+).*", "$1");
      Thread drain = new Thread(() -> out.lines().forEach(line -> {}), "rt-disk-target");
      drain.setDaemon(true);
      drain.start();
    }

    String address() {
      return address;
    }

    void awaitNoParts() {
      await().atMost(Duration.ofSeconds(30)).until(() -> parts() == 0);
    }

    private long parts() throws IOException {
      try (Stream<Path> left = Files.list(root.resolve(".rt-incoming"))) {
        return left.filter(path -> path.toString().endsWith(".part")).count();
      }
    }

    void assertEndsWithoutParts() throws Exception {
      awaitNoParts();
      process.getOutputStream().close();
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the target ends").isTrue();
      assertThat(process.exitValue()).isZero();
    }

    @Override
    public void close() {
      process.destroyForcibly();
      process.onExit().join();
    }
  }
}
