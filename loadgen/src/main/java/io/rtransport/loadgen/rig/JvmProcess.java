package io.rtransport.loadgen.rig;

import io.rtransport.command.CommandFailure;
import io.rtransport.core.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A command of this program in its own JVM, with this one's flags. The end of its standard input
 * tells it to end, so it also ends when this process dies. An interrupt typed at the terminal
 * reaches only this process, which decides what to do.
 */
public final class JvmProcess implements AutoCloseable {
  private static final long END_SECONDS_MAX = 15;

  /** First JDK that warns about the loading of the epoll library without the flag. */
  private static final int NATIVE_ACCESS_FEATURE_MIN = 24;

  private static final String SHELL = "/bin/sh";

  /** Last entry of the child's output, for {@link #readObject}. */
  private static final String END = "";

  private final Process process;
  private final BlockingQueue<String> objects = new LinkedBlockingQueue<>();
  private final Thread reader;

  /**
   * Starts a command.
   *
   * @param mainClass with a main method
   * @param arguments of the command
   */
  public JvmProcess(Class<?> mainClass, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(Path.of(SHELL))) {
      // An ignored interrupt is inherited, and the JVM leaves it ignored.
      command.addAll(List.of(SHELL, "-c", "trap '' INT; exec \"$@\"", "sh"));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    if (Runtime.version().feature() >= NATIVE_ACCESS_FEATURE_MIN) {
      command.add("--enable-native-access=ALL-UNNAMED");
    }
    // The launcher's flags and RT_JAVA_OPTS, without the debugger: two processes cannot share its
    // port.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> !flag.startsWith("-agentlib:jdwp") && !flag.startsWith("-Drt.terminal"))
        .forEach(command::add);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(Redirect.INHERIT);
    builder.environment().put("RT_LOAD_PARENT", "1");
    process = builder.start();
    reader = new Thread(this::readOutput, "rt-load-child-output");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Reads the child's whole standard output, so that the child never waits for this process. Lines
   * of JSON are kept. Others are skipped, such as those of a JVM that RT_JAVA_OPTS makes print.
   */
  private void readOutput() {
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith("{")) {
          objects.add(line);
        }
      }
    } catch (IOException e) {
      // Counts as the end.
    } finally {
      objects.add(END);
    }
  }

  /** Waits for the next object that the child writes as a line of JSON. */
  Map<?, ?> readObject(String who) throws InterruptedException {
    String line = objects.take();
    if (line.equals(END)) {
      objects.add(END);
      throw new CommandFailure("the " + who + " process ended early");
    }
    return (Map<?, ?>) Json.parse(line);
  }

  /** Waits for the end of the child's output: the child ends. */
  public void awaitEndOfOutput() throws InterruptedException {
    reader.join();
  }

  /** Writes an object to the child's standard input, as a line of JSON. */
  void tell(Map<String, Object> object) {
    try {
      process.getOutputStream().write((Json.write(object) + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      // It has ended: its reader says so.
    }
  }

  /** Tells the child to end. */
  public void endInput() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      // It has already ended.
    }
  }

  /** Waits for its end, and kills it when that takes too long. */
  public int waitFor() throws InterruptedException {
    if (!process.waitFor(END_SECONDS_MAX, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    return process.waitFor();
  }

  @Override
  public void close() {
    endInput();
    try {
      waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
