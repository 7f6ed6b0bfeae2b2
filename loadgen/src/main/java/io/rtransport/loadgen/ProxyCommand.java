package io.rtransport.loadgen;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.rtransport.command.CommandErrors;
import io.rtransport.command.SocketKind;
import io.rtransport.core.json.Json;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.ProxyLimit;
import io.rtransport.loadgen.impair.RailProxy;
import io.rtransport.loadgen.impair.RailSchedule;
import io.rtransport.loadgen.impair.RailTraffic;
import io.rtransport.loadgen.impair.Rails;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.transceiver.Sockets;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The proxy process that {@code load} starts: all rails of a run. It measures how much it can
 * carry, and prints its ports on one line. Its standard input says when the measured time begins.
 * When that input ends, it prints its counts on another line.
 */
@Command(name = "proxy", hidden = true)
final class ProxyCommand implements Callable<Integer> {
  private static final int LIMIT_MTU_BYTES = 1_400;

  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  /** One address of each rail. Where there are fewer, rails share them in turn. */
  @Option(names = "--target", required = true)
  private String target;

  /** Further addresses of the server. Each has its own front on rail 0. */
  @Option(names = "--side-target")
  private String sideTarget;

  @Option(names = "--proxy-mtu", defaultValue = "0")
  private String proxyMtu;

  @Mixin private LoadFlags flags;

  private final List<RailProxy> rails = new ArrayList<>();

  @Override
  public Integer call() throws Exception {
    // Any transport's datagrams pass, but only rt's options may have several rails.
    LoadOptions options = LoadFlagReader.read(flags, "rt");
    int mtuBytes = (int) Quantity.count("--proxy-mtu", proxyMtu, 0, 65_507);
    boolean epoll = SocketKind.best() == SocketKind.EPOLL;
    EventLoopGroup loops = Sockets.loops(SocketKind.best(), 1);
    EventLoop loop = loops.next();
    long limit =
        ProxyLimit.datagramsPerSecond(loop, epoll, mtuBytes == 0 ? LIMIT_MTU_BYTES : mtuBytes);
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.putAll(open(new RailProxy.Sockets(loop, epoll, mtuBytes), options));
    ready.put("datagramsPerSecond", limit);
    say(ready);
    RailSchedule schedule = new RailSchedule(loop, rails, options.rails().events());
    RailTraffic course = new RailTraffic(loop, rails);
    obey(schedule, course);
    say(end(schedule, course));
    return CommandErrors.OK;
  }

  /** Opens all fronts. Returns their ports. */
  private Map<String, Object> open(RailProxy.Sockets sockets, LoadOptions options)
      throws Exception {
    List<HostPort> targets = HostPort.parseList("--target", target, 1);
    List<HostPort> sideTargets =
        sideTarget == null ? List.of() : HostPort.parseList("--side-target", sideTarget, 1);
    Rails asked = options.rails();
    List<Integer> ports = new ArrayList<>();
    long seed = options.seed();
    for (int rail = 0; rail < asked.count(); rail++) {
      rails.add(new RailProxy(rail, sockets, asked.impairments().get(rail)));
      ports.add(open(rails.get(rail), targets.get(rail % targets.size()), seed++));
    }
    List<Integer> sidePorts = new ArrayList<>();
    for (HostPort to : sideTargets) {
      sidePorts.add(open(rails.get(0), to, seed++));
    }
    return Map.of("ports", ports, "sidePorts", sidePorts);
  }

  private static int open(RailProxy rail, HostPort to, long seed) throws Exception {
    return rail.open(ANY, new InetSocketAddress(to.host(), to.port()), seed).getPort();
  }

  /** Reads commands until the end of the input. */
  private static void obey(RailSchedule schedule, RailTraffic course) throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Map<?, ?> command = (Map<?, ?>) Json.parse(line);
      if ("start".equals(command.get("verb"))) {
        long startNs = System.nanoTime() + ((Number) command.get("inNs")).longValue();
        schedule.start(startNs);
        course.start(startNs);
      } else {
        schedule.cancel();
      }
    }
  }

  private Map<String, Object> end(RailSchedule schedule, RailTraffic course) throws Exception {
    Map<String, Object> impairment = new LinkedHashMap<>();
    List<Map<String, Object>> counts = new ArrayList<>();
    for (RailProxy rail : rails) {
      rail.impairmentCounts()
          .forEach((key, n) -> impairment.merge(key, n, (a, b) -> (Long) a + (Long) b));
      counts.add(rail.counts());
    }
    Map<String, Object> end = new LinkedHashMap<>();
    end.put("impairment", impairment);
    end.put("rails", counts);
    end.put("events", schedule.happened());
    end.put("course", course.steps());
    return end;
  }

  private static void say(Map<String, Object> line) {
    System.out.println(Json.write(line));
    System.out.flush();
  }
}
