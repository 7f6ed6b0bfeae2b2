package io.rtransport.loadgen.rig;

import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.transceiver.TransceiverSettings;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.Plan;
import io.rtransport.loadgen.workload.SizeMix;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Everything that a run was asked for, checked. Immutable.
 *
 * @param transport its name
 * @param mode which sides run here
 * @param to the server's address; mode client only, else null
 * @param sizesBytes one or more message lengths
 * @param ratePerSecond in total; 0 = as fast as back-pressure allows, −1 = closed loop
 * @param inFlight messages a connection of a closed loop
 * @param warmupNs its length, or {@link #AUTO}
 * @param durationNs of the measured time
 * @param impairReceiver by RT's receiving handler instead of the proxy
 * @param hdr where the histogram goes, or null
 * @param html where the page goes, or null
 * @param json where the report goes, or null
 */
public record LoadOptions(
    String transport,
    Mode mode,
    HostPort to,
    HostPort listen,
    boolean insecure,
    int[] sizesBytes,
    long ratePerSecond,
    int inFlight,
    int connections,
    long warmupNs,
    long durationNs,
    int threads,
    long seed,
    TransceiverSettings settings,
    Impairment impairment,
    boolean impairReceiver,
    Path hdr,
    Path html,
    Path json) {

  /** {@link #ratePerSecond} of a closed loop. */
  public static final long CLOSED = -1;

  /** {@link #warmupNs} of a warm-up that ends when the rate is steady. */
  public static final long AUTO = -1;

  /** Which sides run in this command. */
  public enum Mode {
    /** Both: the server in a second process on loopback. */
    EMBEDDED,
    /** The client alone. */
    CLIENT,
    /** The server alone. */
    SERVER
  }

  /** How the client sends, with its share of the rate for one of {@code loops} event loops. */
  public Plan plan(int loops) {
    Plan.Pace pace = Plan.Pace.OPEN;
    if (settings.op() == Op.IDLE) {
      pace = Plan.Pace.IDLE;
    } else if (ratePerSecond == CLOSED) {
      pace = Plan.Pace.CLOSED;
    } else if (ratePerSecond == 0) {
      pace = Plan.Pace.SATURATED;
    }
    return new Plan(pace, (double) ratePerSecond / loops, inFlight, settings.sizes());
  }

  /** Mean message length. */
  public double sizeBytesMean() {
    return Arrays.stream(sizesBytes).average().orElseThrow();
  }

  /**
   * What both sides must agree on, as arguments of the command: the client tells the server with
   * them.
   */
  public List<String> serverArguments() {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--transport",
                transport,
                "--op",
                lower(settings.op()),
                "--sizes",
                Arrays.stream(sizesBytes).mapToObj(Quantity::size).collect(Collectors.joining(",")),
                "--seed",
                Long.toString(seed),
                "--connections",
                Integer.toString(connections),
                "--gso",
                lower(settings.gso()),
                "--window",
                Integer.toString(settings.windowPackets()),
                "--completion",
                lower(settings.completion()),
                "--io",
                settings.io().text(),
                "--threads",
                Integer.toString(threads),
                settings.ordered() ? "--ordered" : "--unordered"));
    if (settings.mtuBytes() != 0) {
      arguments.addAll(List.of("--mtu", Integer.toString(settings.mtuBytes())));
    }
    arguments.addAll(settings.adp().arguments());
    if (settings.congestion() != null) {
      arguments.addAll(List.of("--congestion", lower(settings.congestion())));
    }
    if (settings.flushWindowMicros() != 0) {
      arguments.addAll(List.of("--flush-window", settings.flushWindowMicros() + "us"));
    }
    if (settings.pollNs() != 0) {
      arguments.addAll(List.of("--poll-for", micros(settings.pollNs())));
    }
    if (settings.busyPoll()) {
      arguments.add("--busy-poll");
    }
    if (impairReceiver) {
      arguments.addAll(List.of("--impair", "receiver"));
      arguments.addAll(impairmentArguments());
    }
    return arguments;
  }

  /** The impairment as arguments. */
  public List<String> impairmentArguments() {
    return List.of(
        "--loss",
        Double.toString(impairment.loss()),
        "--delay",
        micros(impairment.delayNs()),
        "--jitter",
        micros(impairment.jitterNs()),
        "--reorder",
        Double.toString(impairment.reorder()),
        "--duplicate",
        Double.toString(impairment.duplicate()),
        "--corrupt",
        Double.toString(impairment.corrupt()),
        "--bandwidth",
        Long.toString(impairment.bandwidthBitsPerSecond()));
  }

  private static String micros(long ns) {
    return ns / 1_000 + "us";
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** The sizes as the workload wants them. */
  public SizeMix sizes() {
    return settings.sizes();
  }
}
