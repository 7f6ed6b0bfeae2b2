package io.rtransport.loadgen.proof;

import io.rtransport.core.json.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A {@link ProofTarget} in a JVM of its own, with this one's flags, and what can be done to it from
 * outside. It ends with its input.
 */
final class TargetProcess implements AutoCloseable {
  private static final long END_SECONDS = 30;

  private final Process process;
  private final BufferedReader out;
  private final InetSocketAddress address;

  private TargetProcess(Process process) throws IOException {
    this.process = process;
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String port = out.readLine();
    if (port == null) {
      throw new IOException("the target ended without a word");
    }
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
  }

  /** Starts one and waits until it listens; port 0 picks one. */
  static TargetProcess start(int port, long life, String settings) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ProofTarget.class.getName());
    command.addAll(List.of(Integer.toString(port), Long.toString(life), settings));
    return new TargetProcess(new ProcessBuilder(command).redirectError(Redirect.INHERIT).start());
  }

  InetSocketAddress address() {
    return address;
  }

  /** Ends it at once, as the system does when it runs out of memory: {@code kill -9}. */
  void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  /** SIGSTOP. */
  void pause() throws Exception {
    signal("STOP");
  }

  /** SIGCONT. */
  void resume() throws Exception {
    signal("CONT");
  }

  private void signal(String name) throws Exception {
    int status =
        new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + process.pid())
            .inheritIO()
            .start()
            .waitFor();
    if (status != 0) {
      throw new IOException("kill -" + name + " ended with " + status);
    }
  }

  /** What it has seen so far. */
  Map<?, ?> report() throws IOException {
    process.getOutputStream().write("report\n".getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
    return (Map<?, ?>) Json.parse(out.readLine());
  }

  /** Ends its input and waits for it; its exit status. */
  int end() throws Exception {
    process.getOutputStream().close();
    if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("the target did not end within " + END_SECONDS + " s");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
