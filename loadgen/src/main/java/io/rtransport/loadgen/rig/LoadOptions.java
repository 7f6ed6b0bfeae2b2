package io.rtransport.loadgen.rig;

import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.impair.RailEvent;
import io.rtransport.loadgen.impair.Rails;
import io.rtransport.loadgen.transceiver.QueueSettings;
import io.rtransport.loadgen.transceiver.TransceiverSettings;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.Plan;
import io.rtransport.loadgen.workload.SizeMix;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * All options of a run, checked. Immutable.
 *
 * @param transport its name
 * @param mode which sides run here
 * @param to the server's address; mode client only, else null
 * @param sizesBytes one or more message lengths
 * @param ratePerSecond in total; 0 = as fast as back-pressure allows, −1 = closed loop
 * @param inFlight messages in flight of each connection of a closed loop
 * @param warmupNs its length, or {@link #AUTO}
 * @param durationNs of the measured time
 * @param rails paths to the server, with their impairment and their kills
 * @param impairReceiver by RT's receiving handler instead of the proxy
 * @param hdr file for the histogram, or null
 * @param html file for the page, or null
 * @param json file for the report, or null
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
    Rails rails,
    boolean impairReceiver,
    Path hdr,
    Path html,
    Path json) {

  /** Value of {@link #ratePerSecond} for a closed loop. */
  public static final long CLOSED = -1;

  /** Value of {@link #warmupNs} for a warm-up that ends when the rate is steady. */
  public static final long AUTO = -1;

  /** Sides that run in this command. */
  public enum Mode {
    /** Both: the server in a second process on loopback. */
    EMBEDDED,
    /** The client alone. */
    CLIENT,
    /** The server alone. */
    SERVER
  }

  /**
   * Returns the client's plan for sending, with its share of the rate for one of {@code loops}
   * event loops.
   */
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

  /** Returns the mean message length. */
  public double sizeBytesMean() {
    return Arrays.stream(sizesBytes).average().orElseThrow();
  }

  /**
   * Returns the options that both sides must agree on, as arguments of the command. The client
   * sends them to the server.
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
    QueueSettings queue = settings.queue();
    if (queue != null) {
      String moderation = queue.isSelfTuning() ? "auto" : micros(queue.delayNs());
      arguments.addAll(List.of("--api", "queue", "--moderation", moderation));
      arguments.addAll(List.of("--wake", queue.wakeAtOnce() ? "at-once" : "delay"));
    }
    if (rails.count() > 1) {
      arguments.addAll(List.of("--rails", Integer.toString(rails.count())));
    }
    if (impairReceiver) {
      arguments.addAll(List.of("--impair", "receiver"));
      arguments.addAll(impairmentArguments());
    }
    return arguments;
  }

  /** Returns whether datagrams pass a proxy. */
  public boolean needsProxy() {
    return rails.count() > 1 || rails.isKilled() || rails.isImpaired() && !impairReceiver;
  }

  /** Returns the rails, their impairment and their kills as arguments of the proxy. */
  List<String> proxyArguments() {
    List<String> arguments = new ArrayList<>(impairmentArguments());
    arguments.addAll(List.of("--rails", Integer.toString(rails.count())));
    arguments.addAll(List.of("--duration", micros(durationNs)));
    for (RailEvent event : rails.events()) {
      arguments.addAll(List.of(event.isRestore() ? "--restore-rail" : "--kill-rail", event.text()));
    }
    return arguments;
  }

  private List<String> impairmentArguments() {
    Impairment first = rails.impairments().get(0);
    return List.of(
        "--loss",
        ofEachRail(rail -> Double.toString(rail.loss())),
        "--delay",
        ofEachRail(rail -> micros(rail.delayNs())),
        "--jitter",
        micros(first.jitterNs()),
        "--reorder",
        Double.toString(first.reorder()),
        "--duplicate",
        Double.toString(first.duplicate()),
        "--corrupt",
        Double.toString(first.corrupt()),
        "--bandwidth",
        ofEachRail(rail -> Long.toString(rail.bandwidthBitsPerSecond())));
  }

  private String ofEachRail(Function<Impairment, String> value) {
    return IntStream.range(0, rails.count())
        .mapToObj(rail -> value.apply(rails.impairments().get(rail)) + "@" + rail)
        .collect(Collectors.joining(","));
  }

  private static String micros(long ns) {
    return ns / 1_000 + "us";
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the sizes in the form of the workload. */
  public SizeMix sizes() {
    return settings.sizes();
  }
}
