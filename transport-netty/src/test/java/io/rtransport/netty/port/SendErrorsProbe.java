package io.rtransport.netty.port;

import static org.awaitility.Awaitility.await;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.netty.TransportKind;
import io.rtransport.netty.internal.loop.InterfaceWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ConditionTimeoutException;
import org.opentest4j.TestAbortedException;

/**
 * Breaks the network of the namespace that it runs in, in one way after another, and prints what a
 * port of each kind then says of its sends: a line for each way, a cell for each kind.
 */
final class SendErrorsProbe {
  static final String DEVICE = "cable";
  static final String OURS = "10.9.0.1";
  static final String PEER = "10.9.0.2";

  /** Nobody has it. */
  private static final String ABSENT = "10.9.0.77";

  private static final int ROUND_MILLIS = 20;
  private static final int ROUNDS = 10;

  /** A way to break the network: what is done, where a datagram goes, and how it is mended. */
  private record Way(String name, String to, List<String> breaking, List<String> mending) {}

  private static final List<String> RESTORED =
      List.of("addr replace 10.9.0.1/24 dev cable", "link set cable up");

  private static final List<Way> WAYS =
      List.of(
          new Way("nobody listens there", PEER, List.of(), List.of()),
          new Way("no route leads there", "198.51.100.1", List.of(), List.of()),
          new Way(
              "a route says unreachable",
              "203.0.113.1",
              List.of("route add unreachable 203.0.113.0/24"),
              List.of("route del unreachable 203.0.113.0/24")),
          new Way(
              "a route says prohibited",
              "203.0.113.1",
              List.of("route add prohibit 203.0.113.0/24"),
              List.of("route del prohibit 203.0.113.0/24")),
          new Way(
              "a route drops everything",
              "203.0.113.1",
              List.of("route add blackhole 203.0.113.0/24"),
              List.of("route del blackhole 203.0.113.0/24")),
          new Way("the host is not there", ABSENT, List.of(), List.of()),
          new Way(
              "a router knows no way",
              "192.0.2.1",
              List.of("route add 192.0.2.0/24 via 10.9.0.2"),
              List.of("route del 192.0.2.0/24")),
          new Way(
              "our address is taken away",
              PEER,
              List.of("addr del 10.9.0.1/24 dev cable"),
              RESTORED),
          new Way("our device is down", PEER, List.of("link set cable down"), RESTORED),
          new Way(
              "the cable is pulled",
              PEER,
              List.of("-n PEER link set cable down"),
              List.of("-n PEER link set cable up")));

  private static String peerNamespace;

  private SendErrorsProbe() {}

  /**
   * @param args the name of the namespace at the other end
   */
  public static void main(String[] args) {
    peerNamespace = args[0];
    try {
      tryAll();
    } catch (Exception | Error e) {
      e.printStackTrace();
      System.exit(1); // event loops would live on, and the test would wait for its end
    }
    System.exit(0);
  }

  private static void tryAll() throws Exception {
    for (Way way : WAYS) {
      List<String> cells = new ArrayList<>();
      for (TransportKind kind : TransportKind.values()) {
        for (boolean isConnected : new boolean[] {true, false}) {
          cells.add(isAvailable(kind) ? said(way, kind, isConnected) : "?");
        }
      }
      ip(way.breaking);
      cells.add(isUp() ? "up" : "down");
      ip(way.mending);
      System.out.println(way.name + "|" + String.join("|", cells));
    }
  }

  /**
   * Whether our interface is up. The kernel takes up to a second to say that a cable is out, so
   * what it says counts at once only where the device has its carrier.
   */
  private static boolean isUp() throws Exception {
    if (!hasCarrier()) {
      try {
        await().atMost(20, TimeUnit.SECONDS).until(() -> !isUpNow());
      } catch (ConditionTimeoutException e) {
        return true;
      }
    }
    return isUpNow();
  }

  private static boolean isUpNow() throws Exception {
    return InterfaceWatch.isUp(InetAddress.getByName(OURS));
  }

  private static boolean hasCarrier() {
    try {
      return Files.readString(Path.of("/sys/class/net", DEVICE, "carrier")).strip().equals("1");
    } catch (IOException e) {
      return false; // of a device that is down it says nothing
    }
  }

  private static boolean isAvailable(TransportKind kind) {
    try {
      kind.assumeAvailable();
      return true;
    } catch (TestAbortedException e) {
      return false;
    }
  }

  private static String said(Way way, TransportKind kind, boolean isConnected) throws Exception {
    PortConfig config = new PortConfig(1_408, true, 1 << 20, 0, 0, false, true, false);
    InetSocketAddress ours = new InetSocketAddress(OURS, 0);
    InetSocketAddress to = new InetSocketAddress(way.to, 9);
    boolean isEarly = way.to.equals(PEER); // else a socket could not be connected any more
    try (PortBench bench = new PortBench(kind.handlers())) {
      if (!isEarly) {
        ip(way.breaking);
      }
      RtPort port;
      try {
        InetSocketAddress remote = isConnected ? to : null;
        PortFactory factory = DatagramPort.factory(kind.sockets());
        port = bench.onLoop(() -> factory.open(bench, config, ours, remote));
      } catch (ExecutionException e) {
        return PortError.of(e.getCause()) + " at connect";
      }
      if (isEarly) {
        ip(way.breaking);
      }
      String heard = hear(bench, port, to);
      bench.close(port);
      return heard;
    } finally {
      ip(way.mending);
    }
  }

  /** Sends until the port says something; "–": it says nothing. */
  private static String hear(PortBench bench, RtPort port, InetSocketAddress to) throws Exception {
    for (int i = 0; i < ROUNDS; i++) {
      bench.onLoop(
          () -> {
            PacketBurst burst = new PacketBurst();
            burst.add(ByteBuffer.allocate(64), 0, 64, 0, PacketBurst.TRANSIENT);
            port.send(burst, to);
            return null;
          });
      String heard = bench.news.poll(ROUND_MILLIS, TimeUnit.MILLISECONDS);
      while (heard != null && (heard.equals("complete") || heard.equals("room"))) {
        heard = bench.news.poll(ROUND_MILLIS, TimeUnit.MILLISECONDS);
      }
      if (heard != null) {
        return heard;
      }
    }
    return "–";
  }

  private static void ip(List<String> commands) throws Exception {
    for (String command : commands) {
      List<String> words = new ArrayList<>(List.of("ip"));
      words.addAll(Arrays.asList(command.replace("PEER", peerNamespace).split(" ")));
      Process process = new ProcessBuilder(words).inheritIO().start();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + ": " + process.exitValue());
      }
    }
  }
}
