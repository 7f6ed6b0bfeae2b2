package io.rtransport.demo;

import io.rtransport.command.CommandErrors;
import io.rtransport.demo.socket.Hosts;
import io.rtransport.demo.target.TargetListener;
import io.rtransport.demo.terminal.Units;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/**
 * Printed lines and counts of a target's work: one line for each stored file and each refusal, up
 * to a limit.
 */
final class TargetReport implements TargetListener {
  /** Most lines printed. Without it, a peer would decide their number. */
  private static final int LINES_MAX = 10_000;

  private final PrintWriter out;
  private final LongAdder storedFiles = new LongAdder();
  private final LongAdder storedBytes = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private int lines;

  TargetReport(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void onStored(String name, long sizeBytes, SocketAddress from) {
    storedFiles.increment();
    storedBytes.add(sizeBytes);
    print("stored " + name + "  " + Units.bytes(sizeBytes) + "  from " + text(from));
  }

  @Override
  public void onRefused(String what, String why, SocketAddress from) {
    refused.increment();
    print("refused " + what + " from " + text(from) + ": " + CommandErrors.oneLine(why));
  }

  @Override
  public void onLost(String why, SocketAddress from) {
    print("lost " + text(from) + ": " + CommandErrors.oneLine(why));
  }

  private synchronized void print(String line) {
    if (lines < LINES_MAX) {
      out.println(line);
    } else if (lines == LINES_MAX) {
      out.println("(no more lines: the summary counts on)");
    }
    lines = Math.min(lines + 1, LINES_MAX + 1);
    out.flush();
  }

  private static String text(SocketAddress address) {
    return address instanceof InetSocketAddress ip ? Hosts.text(ip) : String.valueOf(address);
  }

  String summary() {
    return storedFiles
        + " files stored, "
        + Units.bytes(storedBytes.sum())
        + "; "
        + refused
        + " requests refused";
  }

  void putTo(Map<String, Object> result) {
    result.put("storedFiles", storedFiles.sum());
    result.put("storedBytes", storedBytes.sum());
    result.put("refused", refused.sum());
  }
}
