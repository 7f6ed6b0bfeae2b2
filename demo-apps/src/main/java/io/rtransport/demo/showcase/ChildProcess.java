package io.rtransport.demo.showcase;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A command of this program in its own process, with this process's Java, JVM flags and classes. It
 * ends when its standard input ends, so it never outlives this process. Its lines are kept up to a
 * limit. Its stderr goes to ours.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int LINES_MAX = 1_000;
  private static final long END_SECONDS = 8;

  private final Process process;
  private final List<String> lines = new ArrayList<>();
  private final CompletableFuture<String> firstLine = new CompletableFuture<>();

  private ChildProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "rt-child");
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts {@code mainClass} with these arguments. */
  public static ChildProcess start(Class<?> mainClass, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // The launcher's flags and RT_JAVA_OPTS, without the debugger: two processes cannot share its
    // port.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(flag -> !flag.startsWith("-agentlib:jdwp") && !flag.startsWith("-Drt.terminal"))
        .forEach(command::add);
    command.addAll(program(mainClass));
    command.addAll(arguments);
    return new ChildProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /**
   * Returns the program's arguments as this process was started: from the executable jar, whose
   * manifest only then counts, or from our class path.
   */
  private static List<String> program(Class<?> mainClass) throws IOException {
    String classPath = System.getProperty("java.class.path");
    boolean isExecutableJar =
        mainClass
            .getProtectionDomain()
            .getCodeSource()
            .getLocation()
            .equals(new File(classPath).getAbsoluteFile().toURI().toURL());
    return isExecutableJar
        ? List.of("-jar", classPath)
        : List.of("-cp", classPath, mainClass.getName());
  }

  private void read() {
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        keep(line);
        firstLine.complete(line);
      }
    } catch (IOException e) {
      firstLine.completeExceptionally(e);
    }
    firstLine.completeExceptionally(new IOException("it ended without a word"));
  }

  private synchronized void keep(String line) {
    if (lines.size() < LINES_MAX) {
      lines.add(line);
    }
  }

  /** Returns the first line that it prints. */
  public String awaitFirstLine(long timeoutSeconds) throws IOException {
    try {
      return firstLine.get(timeoutSeconds, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IOException("the other process did not start: " + e.getMessage(), e);
    }
  }

  /** Returns its lines so far. */
  public synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  public long pid() {
    return process.pid();
  }

  /** Ends it immediately, like a crash. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** Asks it to end, waits, and returns its exit status. It is killed if it takes too long. */
  public int end() throws InterruptedException {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      process.destroy(); // it has ended, or will because of this
    }
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    return process.waitFor();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
