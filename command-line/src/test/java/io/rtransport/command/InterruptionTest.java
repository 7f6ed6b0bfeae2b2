package io.rtransport.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InterruptionTest {
  private static final int STATUS = 7;
  private static final int STATUS_OF_SIGTERM = 128 + 15;

  @Test
  void shouldTellOfAnInterruptionOnceAndAtOnceToLateListeners() {
    Interruption interruption = new Interruption();
    List<String> heard = new ArrayList<>();
    interruption.onRequest(() -> heard.add("early"));
    interruption.onRequest(() -> heard.add("taken back")).run();
    assertThat(heard).isEmpty();
    assertThat(interruption.isRequested()).isFalse();
    interruption.request();
    interruption.request();
    interruption.onRequest(() -> heard.add("late"));
    assertThat(heard).containsExactly("early", "late");
    assertThat(interruption.isRequested()).isTrue();
    interruption.release(CommandErrors.OK);
  }

  @Test
  void shouldEndAnInterruptedProcessWithTheCommandsOwnStatus() throws Exception {
    try (Child child = new Child("waits")) {
      child.terminate();
      assertThat(child.output.readLine()).isEqualTo("requested");
      assertThat(child.status()).isEqualTo(STATUS);
    }
  }

  @Test
  void shouldEndWithThatStatusAlsoWithoutASignal() throws Exception {
    try (Child child = new Child("ends")) {
      assertThat(child.status()).isEqualTo(STATUS);
    }
  }

  @Test
  void shouldGiveACommandThatDoesNotEndItsGraceOnly() throws Exception {
    try (Child child = new Child("hangs")) {
      child.terminate();
      assertThat(child.status()).isEqualTo(STATUS_OF_SIGTERM);
    }
  }

  @Test
  void shouldLeaveSignalsToTheJvmOnceReleased() throws Exception {
    try (Child child = new Child("released")) {
      child.terminate();
      assertThat(child.status()).isEqualTo(STATUS_OF_SIGTERM);
    }
  }

  @Test
  void shouldTakeTheEndOfStandardInputForARequest() throws Exception {
    try (Child child = new Child("reads")) {
      child.process.getOutputStream().write("not yet\n".getBytes(StandardCharsets.UTF_8));
      child.process.getOutputStream().close();
      assertThat(child.output.readLine()).isEqualTo("requested");
      assertThat(child.status()).isEqualTo(STATUS);
    }
  }

  /** A command in a process of its own, that has said that it is ready. */
  private static final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;

    Child(String kind) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Command.class.getName(),
                  kind)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      assertThat(output.readLine()).isEqualTo("ready");
    }

    /** Sends SIGTERM, where the system has such a thing; its output stays open. */
    void terminate() {
      assumeThat(process.supportsNormalTermination()).isTrue();
      process.toHandle().destroy();
    }

    int status() throws InterruptedException {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** What such a process runs. */
  static final class Command {
    private Command() {}

    public static void main(String[] args) throws Exception {
      boolean isHanging = args[0].equals("hangs");
      Interruption interruption =
          Interruption.ofProcess(isHanging ? Duration.ofMillis(100) : Duration.ofSeconds(30));
      switch (args[0]) {
        case "reads" -> interruption.requestAtEndOfInput();
        case "ends" -> interruption.request();
        case "released" -> interruption.release(STATUS);
        default -> {
          // Waits for a signal.
        }
      }
      System.out.println("ready");
      interruption.awaitRequest();
      System.out.println("requested");
      if (!isHanging) {
        interruption.end(STATUS);
      }
      new CountDownLatch(1).await(1, TimeUnit.MINUTES); // the signal's grace ends it before
    }
  }
}
