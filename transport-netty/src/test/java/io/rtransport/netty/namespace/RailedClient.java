package io.rtransport.netty.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.rtransport.core.rail.NiError;
import io.rtransport.core.rail.NiReport;
import io.rtransport.netty.InOrder;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.TransportKind;
import io.rtransport.netty.node.NodeConfig;
import io.rtransport.netty.node.NodeInterface;
import io.rtransport.netty.node.NodeTarget;
import io.rtransport.netty.node.RtNode;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process with a connection over two cables, one of which it breaks in several ways while it has
 * messages echoed. It ends with a failure if a message is lost, doubled or out of order, or if the
 * health does not say what happened. All by real devices.
 */
final class RailedClient {
  private static final String BROKEN = "10.9.1.1";

  private final TransportKind kind;
  private final int port;
  private final String peerNamespace;
  private final EventLoopGroup group;

  /** What a node is told that uses the cable that is broken. */
  private final List<String> news = new CopyOnWriteArrayList<>();

  private RailedClient(TransportKind kind, int port, String peerNamespace) {
    this.kind = kind;
    this.port = port;
    this.peerNamespace = peerNamespace;
    this.group = new MultiThreadIoEventLoopGroup(1, kind.handlers());
  }

  /**
   * @param args the kind of sockets, the server's port, and its namespace
   */
  public static void main(String[] args) throws Exception {
    int port = Integer.parseInt(args[1]);
    RailedClient client = new RailedClient(TransportKind.valueOf(args[0]), port, args[2]);
    try (RtNode node = client.openNode()) {
      client.breakOneCable();
      client.connectWhileOneIsDown();
    } catch (Exception | Error e) {
      e.printStackTrace();
      System.exit(1); // its event loops would live on, and the test would wait for its end
    }
    System.out.println("nothing lost");
    System.exit(0);
  }

  private RtNode openNode() {
    NodeTarget application =
        new NodeTarget() {
          @Override
          public void onInterfaceDown(NodeInterface which) {
            news.add("down " + which.address());
          }

          @Override
          public void onInterfaceUp(NodeInterface which) {
            news.add("up " + which.address());
          }
        };
    return RtNode.open(
        NodeConfig.named("client").peer("server", List.of(rail())).target(application));
  }

  private RtRail rail() {
    return new RtRail(new InetSocketAddress(BROKEN, 0), new InetSocketAddress("10.9.1.2", port));
  }

  private RtChannel connect(InOrder echoes) throws Exception {
    return (RtChannel)
        new Bootstrap()
            .group(group)
            .channelFactory(RtChannels.client(kind.sockets()))
            .option(RtChannelOption.RAILS, List.of(rail()))
            .handler(echoes)
            .connect(new InetSocketAddress("10.9.0.2", port), new InetSocketAddress("10.9.0.1", 0))
            .sync()
            .channel();
  }

  private void breakOneCable() throws Exception {
    InOrder echoes = new InOrder();
    RtChannel channel = connect(echoes);
    AtomicInteger sent = new AtomicInteger();
    echoUntil(channel, echoes, sent, () -> packetsSent() > 100);
    breakAndMend(channel, echoes, sent, 1, "link set cable1 down", "link set cable1 up");
    String pulled = "-n " + peerNamespace + " link set cable1 ";
    breakAndMend(channel, echoes, sent, 2, pulled + "down", pulled + "up");
    String address = BROKEN + "/24 dev cable1";
    breakAndMend(channel, echoes, sent, 3, "addr del " + address, "addr add " + address);
    channel.close().sync();
  }

  private void breakAndMend(
      RtChannel channel, InOrder echoes, AtomicInteger sent, long times, String how, String back)
      throws Exception {
    ip(how);
    echoUntil(channel, echoes, sent, () -> broken().isFailed());
    echoUntil(channel, echoes, sent, () -> news.size() == 2 * times - 1);
    long before = packetsSent();
    echoUntil(channel, echoes, sent, within(200));
    assertThat(packetsSent() - before).as("packets by a broken cable: " + how).isLessThan(20);
    ip(back);
    echoUntil(channel, echoes, sent, () -> !broken().isFailed());
    long atOnce = packetsSent();
    echoUntil(channel, echoes, sent, () -> packetsSent() - atOnce > 100);
    assertThat(broken().errors())
        .containsAllEntriesOf(Map.of(NiError.LOCAL_NI_DOWN, times, NiError.LOCAL_NI_UP, times));
    echoUntil(channel, echoes, sent, () -> news.size() == 2 * times);
    String name = "/" + BROKEN + ":0";
    assertThat(news.subList((int) (2 * times - 2), news.size()))
        .containsExactly("down " + name, "up " + name);
  }

  private void connectWhileOneIsDown() throws Exception {
    ip("link set cable1 down");
    InOrder echoes = new InOrder();
    RtChannel channel = connect(echoes);
    AtomicInteger sent = new AtomicInteger();
    echoUntil(channel, echoes, sent, within(100));
    ip("link set cable1 up");
    long before = packetsSent();
    echoUntil(channel, echoes, sent, () -> packetsSent() - before > 100);
    channel.close().sync();
  }

  private static Callable<Boolean> within(long millis) {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    return () -> System.nanoTime() - endNs >= 0;
  }

  /** Has messages echoed, a few at a time, until something has happened and all are back. */
  private static void echoUntil(
      RtChannel channel, InOrder echoes, AtomicInteger sent, Callable<Boolean> isDone) {
    await()
        .pollInterval(1, TimeUnit.MILLISECONDS)
        .atMost(20, TimeUnit.SECONDS)
        .until(
            () -> {
              for (int i = 0; i < 5; i++) {
                channel.writeAndFlush(Unpooled.buffer(4).writeInt(sent.getAndIncrement()));
              }
              return isDone.call();
            });
    await().atMost(20, TimeUnit.SECONDS).until(() -> echoes.count() == sent.get());
    assertThat(echoes.failure()).isEmpty();
  }

  private static NiReport broken() {
    return RtNode.railHealth().reports().stream()
        .filter(ni -> ni.isLocal() && ni.name().equals(BROKEN))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the packets that the kernel has sent by the cable. */
  private static long packetsSent() throws Exception {
    for (String line : Files.readAllLines(Path.of("/proc/net/dev"))) {
      if (line.trim().startsWith("cable1:")) {
        return Long.parseLong(line.split(":")[1].trim().split(" +")[9]);
      }
    }
    throw new IllegalStateException("no cable1 in /proc/net/dev");
  }

  private static void ip(String command) throws Exception {
    List<String> words = new ArrayList<>(List.of("ip"));
    words.addAll(Arrays.asList(command.split(" ")));
    int status = new ProcessBuilder(words).inheritIO().start().waitFor();
    assertThat(status).as(command).isZero();
  }
}
