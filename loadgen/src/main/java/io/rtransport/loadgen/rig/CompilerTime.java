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
 * How much processor time the JVM's compiler threads have used since the last call. They come and
 * go: what one used between the last call and its end is not seen. One thread.
 */
final class CompilerTime {
  private static final Path TASKS = Path.of("/proc/self/task");

  /** Not all systems that list threads tell their time. */
  private static final boolean IS_TOLD = Files.exists(Path.of("/proc/self/schedstat"));

  private Map<Path, Long> usedNs = new HashMap<>();
  private long compiledMillis;

  CompilerTime() {
    sinceLastNs();
  }

  /** Nanoseconds. Where the system does not tell it of threads, the time that compilations took. */
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
      // It ended in between.
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
