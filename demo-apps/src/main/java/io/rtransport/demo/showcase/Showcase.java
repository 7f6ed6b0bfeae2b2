package io.rtransport.demo.showcase;

import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.Future;
import io.rtransport.command.Interruption;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.json.Json;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.text.HostPort;
import io.rtransport.demo.initiator.ChannelInitiator;
import io.rtransport.demo.initiator.FilePuller;
import io.rtransport.demo.initiator.FilePusher;
import io.rtransport.demo.initiator.PushedFile;
import io.rtransport.demo.initiator.QueueInitiator;
import io.rtransport.demo.initiator.TargetConnection;
import io.rtransport.demo.socket.EventLoops;
import io.rtransport.demo.store.Checksum;
import io.rtransport.demo.terminal.ProcessFigures;
import io.rtransport.demo.terminal.Units;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannelStats;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The demo. It starts a target in its own process and pushes files to it over loopback UDP. A fault
 * handler in the pipeline discards packets in both directions. The demo pulls the files back, and
 * compares three checksums of each: of the sent file, of the file on the target's disk, read by
 * this process and not by the target, and of the pulled file. With several rails it kills one while
 * the largest file is pulled ({@link RailKill}).
 */
public final class Showcase {
  private static final int ECHOES = 200;
  private static final long START_SECONDS = 30;
  private static final int CONNECT_MILLIS_MAX = 30_000;

  private final ScratchDirectory scratch;
  private final List<Path> files;
  private final double loss;
  private final int railCount;
  private final long seed;
  private final boolean isByQueues;
  private final Interruption interruption;

  /**
   * Creates the demo.
   *
   * @param isByQueues whether the initiator uses RT's queues instead of a channel; with one rail
   */
  public Showcase(
      ScratchDirectory scratch,
      List<Path> files,
      double loss,
      int railCount,
      long seed,
      boolean isByQueues,
      Interruption interruption) {
    this.scratch = scratch;
    this.files = List.copyOf(files);
    this.loss = loss;
    this.railCount = railCount;
    this.seed = seed;
    this.isByQueues = isByQueues;
    this.interruption = interruption;
  }

  /**
   * Runs the demo. Failures are in the result.
   *
   * @param mainClass of this program, for the other process
   * @param onBytes called with bytes that were moved, by several threads
   */
  public ShowcaseResult run(Class<?> mainClass, LongConsumer onBytes)
      throws IOException, InterruptedException {
    ShowcaseResult result = new ShowcaseResult(files.size(), railCount);
    Path root = scratch.directory("store");
    Path report = scratch.file("target.json");
    List<String> arguments =
        List.of(
            "target",
            "--listen",
            "127.0.0.1:0",
            "--root",
            root.toString(),
            "--json",
            report.toString(),
            "--profile",
            "lossy",
            "--until-stdin-ends");
    try (ChildProcess target = ChildProcess.start(mainClass, arguments)) {
      String ready = target.awaitFirstLine(START_SECONDS);
      result.processes(ProcessHandle.current().pid(), target.pid());
      HostPort address =
          HostPort.parse("target", ready.replaceAll("listening on ([^ ,]+).*", "$1"), 1);
      try {
        move(address, root, result, onBytes);
      } catch (IOException e) {
        result.problem(interruption.isRequested() ? "interrupted" : e.getMessage());
      }
      target.end();
      Long targetRss = takeReport(report, result);
      result.peakRss(ProcessFigures.peakRssBytes(ProcessHandle.current().pid()), targetRss);
    }
    return result;
  }

  private void move(HostPort address, Path root, ShowcaseResult result, LongConsumer onBytes)
      throws IOException, InterruptedException {
    Faults losses = Faults.loss(loss);
    FaultInjectionHandler fault = new FaultInjectionHandler(losses, losses, seed);
    Path back = scratch.directory("pulled");
    List<PushedFile> pushed = List.of();
    LongAdder movedBytes = new LongAdder();
    LongConsumer onMoved = onBytes.andThen(movedBytes::add);
    long startNs = System.nanoTime();
    TargetConnection initiator = connect(address, fault);
    Runnable cancel = interruption.onRequest(initiator::abort);
    try (initiator) {
      pushed = new FilePusher(initiator, files, onMoved).push();
      RailKill kill =
          railCount == 1
              ? null
              : RailKill.of(fault, () -> countersOrNull(initiator.channel()), pushed);
      result.kill(kill);
      pull(initiator, pushed, back, kill, onMoved);
      result.moved(movedBytes.sum(), System.nanoTime() - startNs);
      echo(initiator, kill, result);
    } finally {
      // Also after a failure: the results so far.
      cancel.run();
      if (!result.isMoved()) {
        result.moved(movedBytes.sum(), System.nanoTime() - startNs);
      }
      int threshold = initiator.channel().agreed().both().solicitThresholdBytes();
      for (PushedFile file : pushed) {
        result.add(compare(file, root, back.resolve(file.name()), threshold));
      }
      initiator.channel().stats().awaitUninterruptibly().getNow().counters().forEach(result::count);
      result.dropped(fault.lostCount());
      if (initiator instanceof QueueInitiator queue) {
        result.queue(queue.counts());
      }
    }
  }

  private TargetConnection connect(HostPort address, FaultInjectionHandler fault)
      throws IOException {
    Consumer<RtChannel> prepare = channel -> prepare(channel, fault, rails(address));
    return isByQueues
        ? QueueInitiator.connect("target", address, prepare)
        : ChannelInitiator.connect("target", List.of(address), EventLoops.one(), prepare);
  }

  /**
   * Prepares a channel for a busy machine. The demo shows losses, and no process is absent for
   * long. Datagrams stay short, so that there are many to lose.
   */
  private static void prepare(RtChannel channel, FaultInjectionHandler fault, List<RtRail> rails) {
    channel.config().setOption(RtChannelOption.RAILS, rails);
    channel.config().setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS_MAX);
    channel.config().setOption(RtChannelOption.PROFILE, BuiltInProfiles.LOSSY);
    channel.config().setOption(RtChannelOption.PATH_MTU_DISCOVERY, false);
    fault.addTo(channel);
  }

  /** Returns the rails beside that of the connection: they lead to the same address. */
  private List<RtRail> rails(HostPort address) {
    InetSocketAddress target = new InetSocketAddress(address.host(), address.port());
    return Collections.nCopies(railCount - 1, RtRail.to(target));
  }

  private static void pull(
      TargetConnection initiator,
      List<PushedFile> pushed,
      Path directory,
      RailKill kill,
      LongConsumer onBytes)
      throws IOException {
    FilePuller puller = new FilePuller(initiator);
    for (PushedFile file : pushed) {
      if (!file.isDone()) {
        continue;
      }
      LongConsumer watched = kill == null ? onBytes : kill.watch(file, onBytes);
      try {
        puller.pull(file.name(), puller.stat(file.name()), directory.resolve(file.name()), watched);
      } finally {
        if (kill != null) {
          kill.onPulled(file);
        }
      }
    }
  }

  private static ShowcaseResult.File compare(
      PushedFile pushed, Path root, Path pulled, int threshold) throws IOException {
    return new ShowcaseResult.File(
        pushed.name(),
        pushed.sizeBytes(),
        Units.hex(pushed.sha256()),
        sum(root.resolve(pushed.name())),
        sum(pulled),
        pushed.sizeBytes() > threshold,
        pushed.reason());
  }

  private static String sum(Path file) throws IOException {
    return Files.exists(file) ? Units.hex(Checksum.sha256(file)) : null;
  }

  private static Map<CounterId, Long> countersOrNull(RtChannel channel) {
    Future<RtChannelStats> read = channel.stats().awaitUninterruptibly();
    return read.isSuccess() ? read.getNow().counters() : null;
  }

  /** Makes small round trips, and more of them as long as a killed rail may come back. */
  private void echo(TargetConnection initiator, RailKill kill, ShowcaseResult result)
      throws IOException {
    for (int i = 0;
        !interruption.isRequested() && (i < ECHOES || kill != null && kill.awaitsReturn());
        i++) {
      long startNs = System.nanoTime();
      initiator.echo(i);
      result.latency().add(System.nanoTime() - startNs);
    }
  }

  /** Adds the target's counters to ours. Returns its peak memory. */
  private static Long takeReport(Path report, ShowcaseResult result) throws IOException {
    if (!Files.exists(report)) {
      result.problem("the target ended without a report");
      return null;
    }
    Map<?, ?> json = (Map<?, ?>) Json.parse(Files.readAllBytes(report));
    Map<?, ?> counters = (Map<?, ?>) json.get("counters");
    counters.forEach((name, count) -> result.count(CounterId.valueOf((String) name), (Long) count));
    return (Long) json.get("peakRssBytes");
  }
}
