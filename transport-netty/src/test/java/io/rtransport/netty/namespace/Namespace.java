package io.rtransport.netty.namespace;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A network namespace of the kernel: devices, addresses and routes of a host of its own. Needs
 * Linux, its {@code ip}, and root; elsewhere the test is skipped, and {@code .ci/run} says so.
 */
public final class Namespace implements AutoCloseable {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static final long COMMAND_SECONDS = 20;

  private final String name;

  private Namespace(String name) {
    this.name = name;
  }

  /** Makes a namespace, in which the loopback device is up. */
  public static Namespace create() throws Exception {
    String name = "rt-" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    String problem;
    try {
      problem = run(List.of("ip", "netns", "add", name));
    } catch (IOException e) {
      problem = e.getMessage();
    }
    String reason = problem;
    assumeTrue(reason == null, () -> "no network namespaces here: " + reason);
    Namespace made = new Namespace(name);
    made.ip("link", "set", "lo", "up");
    return made;
  }

  public String name() {
    return name;
  }

  /**
   * Joins two namespaces by a cable: device {@code device} of this one has {@code address}, and the
   * same device of {@code other} has {@code otherAddress}, each with its prefix.
   */
  public void join(Namespace other, String device, String address, String otherAddress)
      throws Exception {
    ip("link", "add", device, "type", "veth", "peer", "name", device, "netns", other.name);
    ip("addr", "add", address, "dev", device);
    other.ip("addr", "add", otherAddress, "dev", device);
    ip("link", "set", device, "up");
    other.ip("link", "set", device, "up");
  }

  /** Runs {@code ip} in this namespace. */
  public void ip(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("ip", "-n", name));
    command.addAll(Arrays.asList(arguments));
    String problem = run(command);
    if (problem != null) {
      throw new IllegalStateException(command + ": " + problem);
    }
  }

  /** Sets a value of this namespace below /proc/sys. */
  public void set(String key, int value) throws Exception {
    String command = "echo " + value + " > /proc/sys/" + key;
    String problem = run(List.of("ip", "netns", "exec", name, "sh", "-c", command));
    if (problem != null) {
      throw new IllegalStateException(command + ": " + problem);
    }
  }

  /** Starts a JVM with this one's classes in this namespace. Its output is the caller's. */
  public Process java(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", name));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(Arrays.asList(arguments));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .directory(new File("."))
        .start();
  }

  private static String run(List<String> command) throws Exception {
    return run(command, TimeUnit.SECONDS.toMillis(COMMAND_SECONDS));
  }

  /**
   * Runs a command, and ends it if it takes longer than the limit. Returns what it complains about;
   * null: nothing.
   */
  static String run(List<String> command, long limitMillis) throws Exception {
    Path said = Files.createTempFile("rt-command", ".txt"); // a pipe's end is that of the child
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      if (!process.waitFor(limitMillis, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        return "no end within " + limitMillis + " ms";
      }
      return process.exitValue() == 0 ? null : Files.readString(said).trim();
    } finally {
      Files.delete(said);
    }
  }

  @Override
  public void close() throws Exception {
    run(List.of("ip", "netns", "del", name));
  }
}
