package io.rtransport.loadgen.rig;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.netty.util.internal.PlatformDependent;
import io.rtransport.loadgen.transceiver.Sockets;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the resources that this process has used so far. Any thread. */
public final class ProcessProbe {
  /** Value for a number that this system does not tell. */
  static final long UNKNOWN = -1;

  private static final Path TASKS = Path.of("/proc/self/task");

  /** Length to which the kernel cuts names of threads. */
  private static final int COMM_LENGTH_MAX = 15;

  private ProcessProbe() {}

  /** Returns the processor time of all threads, including the JVM's own, nanoseconds. */
  static long cpuNs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** Returns how often event loop threads were woken, that is, gave the processor away to wait. */
  static long wakeups() {
    String prefix =
        Sockets.LOOP_THREAD_PREFIX.substring(
            0, Math.min(COMM_LENGTH_MAX, Sockets.LOOP_THREAD_PREFIX.length()));
    long sum = 0;
    try (DirectoryStream<Path> tasks = Files.newDirectoryStream(TASKS)) {
      for (Path task : tasks) {
        if (Files.readString(task.resolve("comm")).startsWith(prefix)) {
          sum += voluntarySwitches(task);
        }
      }
    } catch (IOException e) {
      return UNKNOWN;
    }
    return sum;
  }

  private static long voluntarySwitches(Path task) throws IOException {
    for (String line : Files.readAllLines(task.resolve("status"))) {
      if (line.startsWith("voluntary_ctxt_switches:")) {
        return Long.parseLong(line.substring(line.indexOf(':') + 1).strip());
      }
    }
    return 0;
  }

  /** Returns the bytes that the living threads allocated on the heap. */
  static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = 0;
    for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
      sum += Math.max(0, bytes);
    }
    return sum;
  }

  /** Returns the heap in use after a collection. */
  public static long heapUsedBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Returns the direct memory in use by the JDK and Netty. */
  public static long directBytes() {
    long sum = Math.max(0, PlatformDependent.usedDirectMemory());
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      sum += "direct".equals(pool.getName()) ? pool.getMemoryUsed() : 0;
    }
    return sum;
  }
}
