package io.rtransport.demo.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Figures of the system about a process. */
public final class ProcessFigures {
  private ProcessFigures() {}

  /**
   * Returns the peak resident memory of a process in bytes; null where the system does not tell it
   * (only Linux does) or the process is gone.
   */
  public static Long peakRssBytes(long pid) {
    try {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
        if (line.startsWith("VmHWM:")) {
          return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
        }
      }
    } catch (IOException e) {
      return null;
    }
    return null;
  }
}
