package io.rtransport.loadgen;

import io.rtransport.command.ProfileOptions;
import io.rtransport.command.SocketKind;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.Rails;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.rig.LoadOptions.Mode;
import io.rtransport.loadgen.transceiver.TransceiverSettings;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Completion;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Gso;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.transceiver.Transceivers;
import io.rtransport.loadgen.workload.MessageHeader;
import io.rtransport.loadgen.workload.SizeMix;
import io.rtransport.netty.control.AdpSettings;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads {@link LoadFlags} for one transport. It checks the range of every value, and all values
 * against each other. Stateless.
 */
final class LoadFlagReader {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int SIZE_BYTES_MAX = 256 << 20;
  private static final long RATE_MAX = 100_000_000L;
  private static final int IN_FLIGHT_MAX = 1 << 20;
  private static final int CONNECTIONS_MAX = 10_000;
  private static final int THREADS_MAX = 64;
  private static final String AUTO = "auto";
  private static final String WARMUP_VALID = "auto, or a duration with us, ms, s or m, 0..10m";

  /** Nothing is sent: connections settle. */
  private static final long IDLE_WARMUP_NS = 2 * SECOND_NS;

  private static final long WARMUP_NS_MAX = 600 * SECOND_NS;
  private static final long DURATION_NS_MIN = SECOND_NS / 10;
  private static final long DURATION_NS_MAX = 24 * 3_600 * SECOND_NS;
  private static final long POLL_NS_MIN = 1_000;
  private static final int MTU_BYTES_MIN = 576;
  private static final int MTU_BYTES_MAX = 65_507;

  /**
   * Limits of QUIC: what every path carries, and the longest packet length that its implementation
   * writes.
   */
  private static final int QUIC_MTU_BYTES_MIN = 1_200;

  private static final int QUIC_MTU_BYTES_MAX = 16_383;

  /** Most that its client's sockets read at a time. */
  private static final int KCP_MTU_BYTES_MAX = 2_048;

  private static final int AERON_MTU_BYTES_MAX = 65_504;

  /** Most connections. Each maps two logs of three terms into the memory of driver and client. */
  private static final int AERON_CONNECTIONS_MAX = 1_000;

  /** Most connections of a consumer on one event loop. */
  private static final int QUEUE_CONNECTIONS_MAX = 4_096;

  /** Options that do not apply to other transports. */
  static final List<String> RT_ONLY =
      Stream.concat(
              ProfileOptions.NAMES.stream(),
              Stream.of("--completion", "--congestion", "--flush-window", "--api"))
          .toList();

  private final LoadFlags flags;
  private final String transport;
  private final String moderation;
  private final boolean isBesideRt;
  private final boolean isBesideQueue;

  private LoadFlagReader(
      LoadFlags flags,
      String transport,
      String moderation,
      boolean isBesideRt,
      boolean isBesideQueue) {
    this.flags = flags;
    this.transport = transport;
    this.moderation = moderation;
    this.isBesideRt = isBesideRt;
    this.isBesideQueue = isBesideQueue;
  }

  /**
   * Reads the flags.
   *
   * @throws InvalidValueException naming the first option that is wrong
   */
  static LoadOptions read(LoadFlags flags, String transport) {
    return new LoadFlagReader(flags, transport, flags.moderation, false, false).read();
  }

  /**
   * Reads the flags for a contender, which is measured next to others. It ignores options that are
   * theirs.
   *
   * @param isBesideRt whether to ignore the {@link #RT_ONLY} options
   * @param isBesideQueue whether to ignore those of {@link QueueFlagReader#NAMES}
   */
  static LoadOptions readBeside(
      LoadFlags flags, Contender contender, boolean isBesideRt, boolean isBesideQueue) {
    String moderation = contender.moderation() == null ? flags.moderation : contender.moderation();
    return new LoadFlagReader(flags, contender.transport(), moderation, isBesideRt, isBesideQueue)
        .read();
  }

  private LoadOptions read() {
    if (!Transceivers.NAMES.contains(transport)) {
      throw new InvalidValueException(
          "--transport", transport, "one of " + String.join(", ", Transceivers.NAMES));
    }
    refuseBothOrders();
    Op op = oneOf("--op", flags.op, Op.class);
    Mode mode = oneOf("--mode", flags.mode, Mode.class);
    int[] sizes = sizes();
    long seed = Quantity.seed("--seed", flags.seed);
    long durationNs =
        Quantity.durationNs("--duration", flags.duration, DURATION_NS_MIN, DURATION_NS_MAX);
    Rails rails = RailFlagReader.read(flags, durationNs);
    boolean receiver = isReceiver(rails);
    int connections = connections();
    int mtuBytes = mtuBytes();
    int window = window();
    TransceiverSettings settings =
        new TransceiverSettings(
            op,
            new SizeMix(sizes, seed),
            seed,
            connections,
            mtuBytes,
            oneOf("--gso", flags.gso, Gso.class),
            window,
            !flags.unordered,
            completion(),
            io(),
            busyPoll(),
            pollNs(),
            adp(),
            congestion(),
            flushWindowMicros(),
            sharedPort(),
            rails.count(),
            receiver ? rails.impairments().get(0) : null,
            QueueFlagReader.read(flags, transport, moderation, isBesideRt, isBesideQueue));
    LoadOptions options =
        new LoadOptions(
            transport,
            mode,
            mode == Mode.CLIENT ? HostPort.parse("--to", required("--to", flags.to), 1) : null,
            mode == Mode.SERVER
                ? HostPort.parse("--listen", required("--listen", flags.listen), 0)
                : null,
            flags.insecure,
            sizes,
            rate(op),
            inFlight(),
            connections,
            warmupNs(op),
            durationNs,
            (int) Quantity.count("--threads", flags.threads, 1, THREADS_MAX),
            seed,
            settings,
            rails,
            receiver,
            flags.hdr,
            flags.html,
            flags.json);
    check(options);
    return options;
  }

  private long warmupNs(Op op) {
    if (AUTO.equals(flags.warmup)) {
      return op == Op.IDLE ? IDLE_WARMUP_NS : LoadOptions.AUTO;
    }
    try {
      return Quantity.durationNs("--warmup", flags.warmup, 0, WARMUP_NS_MAX);
    } catch (InvalidValueException e) {
      throw new InvalidValueException("--warmup", flags.warmup, WARMUP_VALID);
    }
  }

  private void refuseBothOrders() {
    refuse("--ordered", flags.ordered && flags.unordered ? "true" : null, "not with --unordered");
  }

  private static void refuse(String name, String value, String valid) {
    if (value != null) {
      throw new InvalidValueException(name, value, valid);
    }
  }

  private static String required(String name, String value) {
    if (value == null) {
      throw new InvalidValueException(name, "", "needed with this --mode: HOST:PORT");
    }
    return value;
  }

  private int[] sizes() {
    refuse("--sizes", flags.size != null ? flags.sizes : null, "not with --size");
    String text = flags.sizes != null ? flags.sizes : flags.size == null ? "64" : flags.size;
    String name = flags.sizes != null ? "--sizes" : "--size";
    String[] parts = flags.sizes != null ? text.split(",", -1) : new String[] {text};
    return Arrays.stream(parts)
        .mapToInt(
            part ->
                (int) Quantity.sizeBytes(name, part.strip(), MessageHeader.LENGTH, SIZE_BYTES_MAX))
        .toArray();
  }

  private long rate(Op op) {
    if (flags.rate != null) {
      long rate = Quantity.count("--rate", flags.rate, 0, RATE_MAX);
      refuse("--in-flight", flags.inFlight, "not with --rate");
      return rate;
    }
    return op == Op.PUSH && flags.inFlight == null ? 0 : LoadOptions.CLOSED;
  }

  private int inFlight() {
    return flags.inFlight == null
        ? 1
        : (int) Quantity.count("--in-flight", flags.inFlight, 1, IN_FLIGHT_MAX);
  }

  private int connections() {
    int max = CONNECTIONS_MAX;
    if (transport.startsWith("aeron")) {
      max = AERON_CONNECTIONS_MAX;
    } else if (QueueFlagReader.isQueue(flags, transport)) {
      max = QUEUE_CONNECTIONS_MAX;
    }
    return (int) Quantity.count("--connections", flags.connections, 1, max);
  }

  private int mtuBytes() {
    int min = MTU_BYTES_MIN;
    int max = MTU_BYTES_MAX;
    if (transport.equals("quic")) {
      min = QUIC_MTU_BYTES_MIN;
      max = QUIC_MTU_BYTES_MAX;
    } else if (transport.equals("kcp")) {
      max = KCP_MTU_BYTES_MAX;
    } else if (transport.startsWith("rt")) {
      max = (int) ConnectionParameter.DATAGRAM_LENGTH.max();
    } else if (transport.startsWith("aeron")) {
      max = AERON_MTU_BYTES_MAX;
    }
    return flags.mtu == null ? 0 : (int) Quantity.count("--mtu", flags.mtu, min, max);
  }

  /** Returns how long an idle loop polls before it sleeps. */
  private long pollNs() {
    boolean hasOwnLoops = !transport.startsWith("aeron") && !transport.equals("kcp");
    refuse("--poll-for", hasOwnLoops ? null : flags.pollFor, "not with aeron and kcp");
    boolean isForever = flags.busyPoll || transport.equals("rt:busy");
    refuse("--poll-for", isForever ? flags.pollFor : null, "not where loops never sleep");
    return flags.pollFor == null
        ? 0
        : Quantity.durationNs("--poll-for", flags.pollFor, POLL_NS_MIN, SECOND_NS);
  }

  private Completion completion() {
    if (isBesideRt) {
      return Completion.COMPLETED;
    }
    boolean isHere = transport.startsWith("rt") || "completed".equals(flags.completion);
    refuse("--completion", isHere ? null : flags.completion, "with rt only");
    return oneOf("--completion", flags.completion, Completion.class);
  }

  private AdpSettings adp() {
    if (isBesideRt) {
      return AdpSettings.NONE;
    }
    if (!transport.startsWith("rt")) {
      flags.profile.refuse("with rt only");
    }
    return flags.profile.read();
  }

  private Congestion congestion() {
    if (flags.congestion == null || isBesideRt) {
      return null;
    }
    refuse("--congestion", transport.startsWith("rt") ? null : flags.congestion, "with rt only");
    return oneOf("--congestion", flags.congestion, Congestion.class);
  }

  private int window() {
    long min = ConnectionParameter.DATA_WINDOW.min();
    long max = ConnectionParameter.DATA_WINDOW.max();
    int packets = (int) Quantity.count("--window", flags.window, min, max);
    if (transport.startsWith("rt") && !ConnectionParameter.DATA_WINDOW.isValid(packets)) {
      String range = "a power of two in " + min + ".." + max + " with rt";
      throw new InvalidValueException("--window", flags.window, range);
    }
    return packets;
  }

  private int flushWindowMicros() {
    if (flags.flushWindow == null || isBesideRt) {
      return 0;
    }
    refuse("--flush-window", transport.startsWith("rt") ? null : flags.flushWindow, "with rt only");
    ConnectionParameter limits = ConnectionParameter.FLUSH_WINDOW_MICROS;
    long ns = Quantity.durationNs("--flush-window", flags.flushWindow, limits.min(), limits.max());
    return (int) limits.toUnit(ns);
  }

  private boolean sharedPort() {
    boolean isOthers = flags.sharedPort && !isBesideRt && !transport.startsWith("rt");
    refuse("--shared-port", isOthers ? "true" : null, "with rt only");
    return flags.sharedPort && transport.startsWith("rt");
  }

  private SocketKind io() {
    SocketKind io = flags.io == null ? SocketKind.best() : SocketKind.named("--io", flags.io);
    return transport.startsWith("aeron") ? SocketKind.NIO : io; // its driver knows no other
  }

  /** Returns whether the event loops of a run never sleep. With {@code rt:busy} they never do. */
  private boolean busyPoll() {
    String asked = flags.busyPoll ? "true" : null;
    refuse(
        "--busy-poll",
        transport.equals("aeron") ? asked : null,
        "not with aeron, whose driver idles by itself: aeron:invoker spins");
    refuse(
        "--busy-poll",
        transport.equals("kcp") ? asked : null,
        "not with kcp, whose client reads on event loops of its own");
    return flags.busyPoll || transport.equals("rt:busy") || transport.equals("aeron:invoker");
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private boolean isReceiver(Rails rails) {
    boolean receiver =
        switch (flags.impair) {
          case "proxy" -> false;
          case "receiver" -> true;
          default -> throw new InvalidValueException("--impair", flags.impair, "proxy or receiver");
        };
    refuse(
        "--rails",
        rails.count() > 1 && !transport.startsWith("rt") ? flags.rails : null,
        "1 with " + transport + ": only rt has several paths in a connection");
    refuse(
        "--impair",
        receiver && (rails.count() > 1 || rails.isKilled()) ? flags.impair : null,
        "proxy with several rails or --kill-rail");
    if (rails.isImpaired() || rails.isKilled()) {
      refuse(
          "--transport",
          transport.startsWith("tcp") ? transport : null,
          "the network can be impaired for UDP transports only");
    }
    if (rails.isImpaired()) {
      refuse(
          "--impair",
          receiver && !transport.startsWith("rt") ? flags.impair : null,
          "proxy: only rt has a receiving handler");
    }
    boolean isLimited = rails.impairments().get(0).bandwidthBitsPerSecond() != 0;
    refuse(
        "--bandwidth",
        receiver && isLimited ? String.join(",", flags.bandwidth) : null,
        "not with --impair receiver");
    return receiver && rails.isImpaired();
  }

  private void check(LoadOptions options) {
    TransceiverSettings settings = options.settings();
    boolean isOffload = "udp:gso".equals(transport);
    refuse(
        "--io",
        isOffload && settings.io() != SocketKind.EPOLL ? settings.io().text() : null,
        "epoll: udp:gso needs offload both ways, GSO and GRO");
    boolean hasNoOffload = transport.startsWith("aeron") || transport.equals("kcp");
    refuse(
        "--gso",
        hasNoOffload && settings.gso() == Gso.ON ? "on" : null,
        "off or auto: " + transport + " has no offload");
    refuse(
        "--gso",
        settings.gso() == Gso.ON && settings.io() == SocketKind.NIO ? "on" : null,
        "off or auto with --io nio");
    refuse(
        "--gso", isOffload && settings.gso() == Gso.OFF ? "off" : null, "on or auto with udp:gso");
    refuse(
        "--threads",
        "aeron:invoker".equals(transport) && options.threads() > 1 ? flags.threads : null,
        "1 with aeron:invoker: one thread invokes the driver");
    boolean isQuicWithoutEpoll = transport.equals("quic") && settings.io() != SocketKind.EPOLL;
    refuse(
        "--gso",
        isQuicWithoutEpoll && settings.gso() == Gso.ON ? "on" : null,
        "off or auto: quic has offload with --io epoll only");
    if (transport.startsWith("udp") && settings.op() == Op.PULL) {
      int mtuBytes = settings.mtuBytes() == 0 ? 1_400 : settings.mtuBytes();
      long max = (long) mtuBytes * settings.windowPackets();
      int longest = settings.sizes().sizeBytesMax();
      refuse(
          "--size",
          longest > max ? Integer.toString(longest) : null,
          "at most --mtu times --window with udp and pull, here " + max);
    }
  }

  private static <E extends Enum<E>> E oneOf(String name, String text, Class<E> type) {
    for (E value : type.getEnumConstants()) {
      if (lower(value).equals(text)) {
        return value;
      }
    }
    throw new InvalidValueException(
        name,
        text,
        Arrays.stream(type.getEnumConstants())
            .map(LoadFlagReader::lower)
            .collect(Collectors.joining(", ", "one of ", "")));
  }
}
