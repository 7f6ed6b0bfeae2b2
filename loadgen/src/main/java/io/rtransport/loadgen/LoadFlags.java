package io.rtransport.loadgen;

import io.rtransport.command.ProfileOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The options of {@code load} and {@code compare} as typed. {@link LoadFlagReader} interprets them.
 */
final class LoadFlags {
  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  boolean help;

  @Option(
      names = "--mode",
      paramLabel = "MODE",
      defaultValue = "embedded",
      description = "embedded (server in a second process on loopback), client or server.")
  String mode;

  @Option(names = "--to", paramLabel = "ADDR", description = "The server; --mode client.")
  String to;

  @Option(
      names = "--listen",
      paramLabel = "ADDR",
      description = "Where to listen for clients; --mode server.")
  String listen;

  @Option(
      names = "--insecure",
      description = "Lets a server listen on an address other than loopback.")
  boolean insecure;

  @Option(
      names = "--op",
      paramLabel = "OP",
      defaultValue = "echo",
      description = "echo (a push and one back), push, pull (16 bytes, answer of the size), idle.")
  String op;

  @Option(names = "--size", paramLabel = "BYTES", description = "Message length; default 64.")
  String size;

  @Option(
      names = "--sizes",
      paramLabel = "BYTES,…",
      description = "Several lengths, drawn evenly by the seed.")
  String sizes;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description =
          "Messages a second in total, open loop: latency counts from the scheduled time."
              + " 0: as fast as back-pressure allows.")
  String rate;

  @Option(
      names = "--in-flight",
      paramLabel = "N",
      description = "Closed loop: so many in flight a connection; default 1 (push: back-pressure).")
  String inFlight;

  @Option(names = "--connections", paramLabel = "N", defaultValue = "1", description = "Default 1.")
  String connections;

  @Option(
      names = "--warmup",
      paramLabel = "D|auto",
      defaultValue = "auto",
      description =
          "auto (default): until the rate is steady, 5 s to 30 s (op idle: 2 s); or so long.")
  String warmup;

  @Option(names = "--duration", paramLabel = "D", defaultValue = "5s", description = "Default 5s.")
  String duration;

  @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Default 1.")
  String seed;

  @Option(
      names = "--mtu",
      paramLabel = "BYTES",
      description =
          "UDP payload of a datagram, fixed; default: rt searches for the longest that passes, udp 1400.")
  String mtu;

  @Option(
      names = "--gso",
      paramLabel = "WHEN",
      defaultValue = "auto",
      description = "Segmentation offload: on, off or auto.")
  String gso;

  @Option(
      names = "--window",
      paramLabel = "PACKETS",
      defaultValue = "1024",
      description =
          "Packets in flight a connection, 64 to 16384, with rt a power of two; default 1024, with rt"
              + " more as the path needs.")
  String window;

  @Option(names = "--ordered", description = "Deliver in order (rt); the default.")
  boolean ordered;

  @Option(names = "--unordered", description = "Deliver as they come (rt).")
  boolean unordered;

  @Option(
      names = "--completion",
      paramLabel = "WHEN",
      defaultValue = "completed",
      description = "What completes a push (rt): completed, received or sent.")
  String completion;

  @Mixin ProfileOptions profile;

  @Option(
      names = "--congestion",
      paramLabel = "NAME",
      description = "Congestion control of both sides (rt): swift (default), aimd or fixed.")
  String congestion;

  @Option(
      names = "--flush-window",
      paramLabel = "D",
      description =
          "How long a message may wait for others to share its packet (rt), to 10ms; default 0.")
  String flushWindow;

  @Option(
      names = "--shared-port",
      description = "One socket for all connections of a client's event loop (rt).")
  boolean sharedPort;

  @Option(
      names = "--api",
      paramLabel = "API",
      defaultValue = "channel",
      description =
          "How both sides use rt: channel (default), or queue (a thread that posts and polls), which"
              + " rt:queue has.")
  String api;

  @Option(
      names = "--moderation",
      paramLabel = "D",
      description =
          "How late a thread that polls may be before it is woken (queues), 0 to 10s; default 100us."
              + " auto: the queues choose. compare takes several, comma-separated, and measures each.")
  String moderation;

  @Option(
      names = "--wake",
      paramLabel = "WHEN",
      description =
          "When a thread that sleeps is woken (queues): at-once, by the first entry (default), or"
              + " delay, once --moderation has passed since then.")
  String wake;

  @Option(
      names = "--io",
      paramLabel = "IO",
      description = "Sockets: epoll (default where there is), nio or io_uring.")
  String io;

  @Option(
      names = "--busy-poll",
      description =
          "Event loops that never sleep, a processor each (not aeron, kcp); rt:busy has it.")
  boolean busyPoll;

  @Option(
      names = "--poll-for",
      paramLabel = "D",
      description =
          "Event loops that sleep only when they have found nothing for so long, 1us to 1s (not aeron, kcp).")
  String pollFor;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "1",
      description = "Event loops a side; default 1.")
  String threads;

  @Option(
      names = "--loss",
      paramLabel = "P[@RAIL],…",
      description = "A datagram lost; @RAIL: on that rail.")
  List<String> loss;

  @Option(
      names = "--delay",
      paramLabel = "D[@RAIL],…",
      description = "One way, added; @RAIL: on that rail.")
  List<String> delay;

  @Option(
      names = "--jitter",
      paramLabel = "D",
      defaultValue = "0",
      description = "Evenly from 0 to this, added.")
  String jitter;

  @Option(
      names = "--reorder",
      paramLabel = "P",
      defaultValue = "0",
      description = "Held back by 1 ms so that others pass.")
  String reorder;

  @Option(
      names = "--duplicate",
      paramLabel = "P",
      defaultValue = "0",
      description = "A datagram twice.")
  String duplicate;

  @Option(names = "--corrupt", paramLabel = "P", defaultValue = "0", description = "A bit flipped.")
  String corrupt;

  @Option(
      names = "--bandwidth",
      paramLabel = "B[@RAIL],…",
      description = "Bits a second, behind a 100-packet drop-tail queue; @RAIL: on that rail.")
  List<String> bandwidth;

  @Option(
      names = "--impair",
      paramLabel = "WHERE",
      defaultValue = "proxy",
      description = "proxy (a seeded UDP proxy, for every UDP transport) or receiver (in rt).")
  String impair;

  @Option(
      names = "--rails",
      paramLabel = "N",
      defaultValue = "1",
      description = "Paths to the server, 1 to 8, each through a proxy of its own (rt); default 1.")
  String rails;

  @Option(
      names = "--kill-rail",
      paramLabel = "RAIL@T[:HOW],…",
      description =
          "From T of the measured time on the rail drops everything, and the transport is not told."
              + " :out, :back: one way, from the client or from the server."
              + " :close: its port is closed. Rails count from 0.")
  List<String> killRail;

  @Option(
      names = "--restore-rail",
      paramLabel = "RAIL@T,…",
      description = "From T of the measured time on the killed rail works again.")
  List<String> restoreRail;

  @Option(
      names = "--hdr",
      paramLabel = "FILE",
      description = "Writes the latency distribution (HdrHistogram, microseconds).")
  Path hdr;

  @Option(names = "--json", paramLabel = "FILE", description = "Writes the report.")
  Path json;

  @Option(
      names = "--html",
      paramLabel = "FILE",
      description = "Writes one self-contained page with plots.")
  Path html;
}
