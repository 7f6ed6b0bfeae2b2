package io.rtransport.loadgen.rig;

import io.rtransport.command.CommandFailure;
import io.rtransport.core.text.HostPort;
import io.rtransport.loadgen.transceiver.Transceiver;
import io.rtransport.loadgen.transceiver.TransceiverSettings.Op;
import io.rtransport.loadgen.workload.LaneDriver;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One run from the client's side, in this order: server (its own process, or an existing one),
 * proxies for a bad network, connections, warm-up, measured time, drain, counts of both sides.
 * {@link #stop} ends sending early; the results so far count.
 */
public final class LoadRun {
  private static final long DRAIN_NS_MAX = 5_000_000_000L;
  private static final long DRAIN_POLL_NS = 5_000_000L;

  /**
   * Most connections whose counters are rehearsed. On busy loops more would take seconds, and
   * measuring would begin too late.
   */
  private static final int REHEARSED_CONNECTIONS_MAX = 100;

  private static final long START_DELAY_NS = 20_000_000L;

  /**
   * Long enough for each loop to hear of it before, unless it is so busy that the figures mean
   * little.
   */
  private static final long MEASURE_DELAY_NS = 500_000_000L;

  private static final long SECOND_NS = 1_000_000_000L;

  /** Begin of the measured time of a run that was stopped before it. */
  private static final long NEVER_NS = 3_600 * SECOND_NS;

  private static final long PROGRESS_NS = SECOND_NS;
  private static final int CONTROL_TIMEOUT_MILLIS = 5_000;

  private final LoadOptions options;
  private final Class<?> mainClass;
  private final PrintStream progress;
  private final CountDownLatch stopped = new CountDownLatch(1);

  /** The process of the proxies, or null. */
  private JvmProcess proxy;

  /**
   * Creates the run.
   *
   * @param mainClass of the processes that it starts, with the commands {@code serve} and {@code
   *     proxy}
   * @param progress a terminal, or null
   */
  public LoadRun(LoadOptions options, Class<?> mainClass, PrintStream progress) {
    this.options = options;
    this.mainClass = mainClass;
    this.progress = progress;
  }

  /** Ends sending now. Any thread. */
  public void stop() {
    stopped.countDown();
  }

  /** Runs to the end. The calling thread does nothing while messages flow. */
  public RunOutcome execute() throws Exception {
    if (options.mode() == LoadOptions.Mode.CLIENT) {
      return againstServer(resolved(options.to()));
    }
    List<String> arguments = List.of("serve");
    try (JvmProcess server = new JvmProcess(mainClass, arguments)) {
      int port = ((Number) server.readObject("server").get("port")).intValue();
      return againstServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
  }

  private static InetSocketAddress resolved(HostPort to) {
    InetSocketAddress address = new InetSocketAddress(to.host(), to.port());
    if (address.isUnresolved()) {
      throw new CommandFailure("no address is known for " + to.host());
    }
    return address;
  }

  private RunOutcome againstServer(InetSocketAddress control) throws Exception {
    Socket socket = new Socket();
    try {
      socket.connect(control, CONTROL_TIMEOUT_MILLIS);
    } catch (IOException e) {
      socket.close();
      throw new CommandFailure("no load server at " + control + ": " + e.getMessage());
    }
    try (ControlLink link = new ControlLink(socket)) {
      Map<String, Object> opened = link.ask("open", options.serverArguments());
      Server server = Server.of(control.getAddress(), opened);
      return options.needsProxy() ? throughProxy(link, server) : measure(link, server, null);
    }
  }

  /**
   * Addresses of a server, or of the proxies before it.
   *
   * @param rails one address of each rail, or one for all
   * @param sidePorts in addition: see {@link Transceiver#sidePorts}
   */
  private record Server(List<InetSocketAddress> rails, List<Integer> sidePorts) {
    static Server of(InetAddress host, Map<?, ?> answer) {
      return new Server(
          ports(answer, "ports").map(port -> new InetSocketAddress(host, port)).toList(),
          ports(answer, "sidePorts").toList());
    }

    private static Stream<Integer> ports(Map<?, ?> answer, String key) {
      return ((List<?>) answer.get(key)).stream().map(port -> ((Number) port).intValue());
    }

    /** Returns ports as an argument of the proxy. */
    String list(Stream<Integer> ports) {
      String host = rails.get(0).getAddress().getHostAddress();
      return ports
          .map(port -> new HostPort(host, port).toString())
          .collect(Collectors.joining(","));
    }
  }

  private RunOutcome throughProxy(ControlLink link, Server server) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("proxy", "--target"));
    arguments.add(server.list(server.rails.stream().map(InetSocketAddress::getPort)));
    if (!server.sidePorts.isEmpty()) {
      arguments.addAll(List.of("--side-target", server.list(server.sidePorts.stream())));
    }
    arguments.addAll(List.of("--seed", Long.toString(options.seed())));
    arguments.addAll(List.of("--proxy-mtu", Integer.toString(options.settings().mtuBytes())));
    arguments.addAll(options.proxyArguments());
    try (JvmProcess process = new JvmProcess(mainClass, arguments)) {
      proxy = process;
      Map<?, ?> ready = process.readObject("proxy");
      Server fronts = Server.of(InetAddress.getLoopbackAddress(), ready);
      RunOutcome outcome = measure(link, fronts, ready);
      process.endInput();
      return outcome.withProxyEnd(process.readObject("proxy"));
    }
  }

  /** Tells the proxies when the measured time begins: the kills of rails count from then. */
  private void tellProxy(long measureNs) {
    if (proxy != null) {
      proxy.tell(Map.of("verb", "start", "inNs", measureNs - System.nanoTime()));
    }
  }

  /**
   * Measures.
   *
   * @param ready what the proxies said at their start, or null
   */
  private RunOutcome measure(ControlLink link, Server server, Map<?, ?> ready) throws Exception {
    try (LoadClient client = new LoadClient(options)) {
      long connectNs = System.nanoTime();
      client.connect(server.rails, server.sidePorts);
      double connectSeconds = (System.nanoTime() - connectNs) / 1e9;
      SideMeter meter = new SideMeter(client.transceiver());
      MeasuredTime time =
          options.warmupNs() == LoadOptions.AUTO
              ? warmUpUntilSteady(client, link, meter)
              : warmUp(client, link, meter);
      long measureNs = time.measureNs;
      long endNs = measureNs + options.durationNs();
      waitUntil(measureNs, client, left -> "warm-up: " + left + " s left");
      link.tell("start", null); // both sides at once: on busy loops a mark takes long
      meter.markStart();
      link.answer();
      waitUntil(endNs, client, left -> "measuring: " + left + " s left");
      long measuredEndNs = Math.min(endNs, System.nanoTime());
      if (proxy != null && isStopped()) {
        proxy.tell(Map.of("verb", "cancel"));
      }
      link.tell("end", null);
      meter.markEnd();
      link.answer();
      client.stop(measuredEndNs);

      long drainedNs = System.nanoTime() + DRAIN_NS_MAX;
      awaitNone(client::outstanding, drainedNs);
      client.abandon(System.nanoTime());
      awaitReceiver(link, client, drainedNs);
      Map<String, Object> serverSide = link.ask("result", null);
      clearProgress();
      Map<String, Object> own = meter.result();
      own.put("connectSeconds", connectSeconds);
      return new RunOutcome(
          options,
          client.parts(),
          own,
          serverSide,
          time.warmupNs,
          time.isSteady,
          Math.max(0, measuredEndNs - measureNs),
          ready,
          null);
    }
  }

  /**
   * Begin of the measured time.
   *
   * @param isSteady whether the warm-up has waited for a steady rate and reached it; null where its
   *     length was given
   */
  private record MeasuredTime(long measureNs, long warmupNs, Boolean isSteady) {}

  private MeasuredTime warmUp(LoadClient client, ControlLink link, SideMeter meter)
      throws Exception {
    long startNs = System.nanoTime() + START_DELAY_NS;
    long measureNs = startNs + options.warmupNs();
    client.start(startNs, measureNs, measureNs + options.durationNs());
    tellProxy(measureNs);
    waitUntil(
        LaneDriver.recordedUntilNs(startNs, measureNs),
        client,
        left -> "warm-up: " + left + " s left");
    rehearseMarks(link, meter);
    return new MeasuredTime(measureNs, options.warmupNs(), null);
  }

  private MeasuredTime warmUpUntilSteady(LoadClient client, ControlLink link, SideMeter meter)
      throws Exception {
    long startNs = System.nanoTime() + START_DELAY_NS;
    client.startWarmUp(startNs);
    WarmUp warmUp = new WarmUp(options, client, link, startNs);
    for (int second = 1; second <= SteadyState.SECONDS_MAX && !warmUp.isSteady(); second++) {
      int at = second;
      waitUntil(startNs + second * SECOND_NS, client, left -> "warm-up: second " + at);
      if (isStopped()) {
        break;
      }
      if (second == 1) {
        rehearseMarks(link, meter);
      }
      warmUp.look();
    }
    long nowNs = System.nanoTime();
    if (isStopped()) {
      return new MeasuredTime(nowNs + NEVER_NS, Math.max(0, nowNs - startNs), false);
    }
    long measureNs = nowNs + MEASURE_DELAY_NS;
    client.measure(measureNs, measureNs + options.durationNs());
    tellProxy(measureNs);
    return new MeasuredTime(measureNs, measureNs - startNs, warmUp.isSteady());
  }

  private void rehearseMarks(ControlLink link, SideMeter meter) throws Exception {
    if (options.settings().connections() <= REHEARSED_CONNECTIONS_MAX) {
      meter.rehearse();
      link.ask("rehearse", null);
    }
  }

  private boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /**
   * Waits until a time, or until the run is stopped.
   *
   * @param phase text of the progress line for the seconds that are left
   */
  private void waitUntil(long timeNs, LoadClient client, LongFunction<String> phase)
      throws Exception {
    long leftNs = timeNs - System.nanoTime();
    while (leftNs > 0) {
      long waitNs = progress == null ? leftNs : Math.min(leftNs, PROGRESS_NS);
      if (stopped.await(waitNs, TimeUnit.NANOSECONDS)) {
        return;
      }
      leftNs = timeNs - System.nanoTime();
      if (progress != null && leftNs > 0) {
        progress.printf(
            "\r\033[K%s %s, %,d messages sent",
            options.transport(), phase.apply(leftNs / SECOND_NS + 1), client.sent());
        progress.flush();
      }
    }
  }

  private void clearProgress() {
    if (progress != null) {
      progress.print("\r\033[K");
      progress.flush();
    }
  }

  /**
   * Waits until the receiver has the completed messages. With some transports a write completes
   * before ({@code --completion}, TCP).
   */
  private void awaitReceiver(ControlLink link, LoadClient client, long untilNs) throws Exception {
    if (options.settings().op() == Op.PUSH && !options.transport().startsWith("udp")) {
      long completed = client.completedMeasured();
      awaitNone(
          () -> completed - ((Number) link.ask("received", null).get("messages")).longValue(),
          untilNs);
    }
  }

  private static void awaitNone(Callable<Long> left, long untilNs) throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    while (left.call() > 0 && System.nanoTime() - untilNs < 0) {
      never.await(DRAIN_POLL_NS, TimeUnit.NANOSECONDS);
    }
  }
}
