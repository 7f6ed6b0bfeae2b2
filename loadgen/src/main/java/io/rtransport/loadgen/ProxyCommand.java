package io.rtransport.loadgen;

import io.netty.channel.EventLoopGroup;
import io.rtransport.command.CommandErrors;
import io.rtransport.command.SocketKind;
import io.rtransport.core.json.Json;
import io.rtransport.core.text.HostPort;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.ImpairmentProxy;
import io.rtransport.loadgen.impair.ProxyLimit;
import io.rtransport.loadgen.rig.LoadOptions;
import io.rtransport.loadgen.transceiver.Sockets;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The proxy process that {@code load} starts. It measures how much it can carry, and prints its
 * ports on one line. When its standard input ends, it prints its counts on another line.
 */
@Command(name = "proxy", hidden = true)
final class ProxyCommand implements Callable<Integer> {
  private static final int LIMIT_MTU_BYTES = 1_400;

  /** One or more addresses. Each gets its own front. */
  @Option(names = "--target", required = true)
  private String target;

  @Option(names = "--proxy-mtu", defaultValue = "0")
  private String proxyMtu;

  @Mixin private LoadFlags flags;

  @Override
  public Integer call() throws Exception {
    List<HostPort> targets =
        Arrays.stream(target.split(",", -1)).map(t -> HostPort.parse("--target", t, 1)).toList();
    LoadOptions options = LoadFlagReader.read(flags, "udp");
    int mtuBytes = (int) Quantity.count("--proxy-mtu", proxyMtu, 0, 65_507);
    boolean epoll = SocketKind.best() == SocketKind.EPOLL;
    EventLoopGroup loops = Sockets.loops(SocketKind.best(), 1);
    long limit =
        ProxyLimit.datagramsPerSecond(
            loops.next(), epoll, mtuBytes == 0 ? LIMIT_MTU_BYTES : mtuBytes);
    List<ImpairmentProxy> proxies = new ArrayList<>();
    List<Integer> ports = new ArrayList<>();
    for (HostPort to : targets) {
      ImpairmentProxy proxy =
          new ImpairmentProxy(
              loops.next(),
              epoll,
              mtuBytes,
              new InetSocketAddress(to.host(), to.port()),
              options.impairment(),
              options.seed() + proxies.size());
      proxies.add(proxy);
      ports.add(proxy.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).getPort());
    }
    Map<String, Object> ready = new LinkedHashMap<>();
    ready.put("port", ports.get(0));
    ready.put("sidePorts", ports.subList(1, ports.size()));
    ready.put("datagramsPerSecond", limit);
    say(ready);
    while (System.in.read() >= 0) {
      // The input carries no commands; only its end counts.
    }
    Map<String, Object> sums = new LinkedHashMap<>();
    for (ImpairmentProxy proxy : proxies) {
      proxy.counts().forEach((key, count) -> sums.merge(key, count, (a, b) -> (Long) a + (Long) b));
    }
    say(sums);
    return CommandErrors.OK;
  }

  private static void say(Map<String, Object> line) {
    System.out.println(Json.write(line));
    System.out.flush();
  }
}
