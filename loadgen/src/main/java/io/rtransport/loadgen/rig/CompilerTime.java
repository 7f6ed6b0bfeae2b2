package io.rtransport.loadgen.rig;

import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Processor time that the JVM's compiler threads have used since the last call. These threads come
 * and go. The time that one used between the last call and its end is not counted. One thread.
 */
final class CompilerTime {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Whether the system tells the time of threads. Not all systems that list threads do. */
  private static final boolean IS_TOLD = Files.exists(Path.of("/proc/self/schedstat"));

  private Map<Path, Long> usedNs = new HashMap<>();
  private long compiledMillis;

  CompilerTime() {
    sinceLastNs();
  }

  /**
   * Returns the time in nanoseconds. Where the system does not tell the time of threads, it is the
   * elapsed time of compilations.
   */
  long sinceLastNs() {
    if (!IS_TOLD) {
      return elapsedSinceLastNs();
    }
    Map<Path, Long> nowNs = new HashMap<>();
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        addCompiler(task, nowNs);
      }
    } catch (IOException e) {
      return elapsedSinceLastNs();
    }
    long sumNs = 0;
    for (Map.Entry<Path, Long> task : nowNs.entrySet()) {
      sumNs += Math.max(0, task.getValue() - usedNs.getOrDefault(task.getKey(), 0L));
    }
    usedNs = nowNs;
    return sumNs;
  }

  private static void addCompiler(Path task, Map<Path, Long> to) {
    try {
      String name = Files.readString(task.resolve("comm"));
      if (name.startsWith("C1 Compiler")
          || name.startsWith("C2 Compiler")
          || name.startsWith("JVMCI")) {
        String[] times = Files.readString(task.resolve("schedstat")).split(" ");
        to.put(task, Long.parseLong(times[0]));
      }
    } catch (IOException e) {
      // The thread ended in between.
    }
  }

  private long elapsedSinceLastNs() {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    if (compiler == null || !compiler.isCompilationTimeMonitoringSupported()) {
      return 0;
    }
    long millis = compiler.getTotalCompilationTime();
    long sinceMillis = millis - compiledMillis;
    compiledMillis = millis;
    return TimeUnit.MILLISECONDS.toNanos(sinceMillis);
  }
}
