package io.rtransport.loadgen.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rtransport.loadgen.LoadCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process of the proxies, as a run uses it: each rail to its own address of the server. */
@Timeout(60)
class ProxyProcessTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  private final ByteBuffer buffer = ByteBuffer.allocate(100);

  private static DatagramChannel server() throws IOException {
    DatagramChannel server = DatagramChannel.open().bind(new InetSocketAddress(LOOPBACK, 0));
    server.configureBlocking(false);
    return server;
  }

  private static String text(DatagramChannel server) throws IOException {
    int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
    return LOOPBACK.getHostAddress() + ":" + port;
  }

  private static DatagramChannel client(Object port) throws IOException {
    InetSocketAddress front = new InetSocketAddress(LOOPBACK, ((Number) port).intValue());
    DatagramChannel client = DatagramChannel.open().connect(front);
    client.configureBlocking(false);
    return client;
  }

  private void carry(int number, DatagramChannel from, DatagramChannel to) throws IOException {
    from.write(buffer.clear().putInt(number).flip());
    await().until(() -> to.receive(buffer.clear()) != null);
    assertThat(buffer.flip().getInt()).isEqualTo(number);
  }

  private boolean isRefused(DatagramChannel client) throws IOException {
    try {
      client.write(buffer.clear().putInt(9).flip());
      client.read(buffer.clear());
      return false;
    } catch (PortUnreachableException e) {
      return true;
    }
  }

  private static Object at(Map<?, ?> end, int rail, String direction, String key) {
    Map<?, ?> counts = (Map<?, ?>) ((List<?>) end.get("rails")).get(rail);
    return ((Map<?, ?>) counts.get(direction)).get(key);
  }

  @Test
  void shouldForwardEachRailToItsAddressAndKillTheOneThatIsNamed() throws Exception {
    try (DatagramChannel first = server();
        DatagramChannel second = server();
        DatagramChannel third = server();
        JvmProcess process =
            new JvmProcess(
                LoadCommand.class,
                List.of(
                    "proxy --target %s,%s --side-target %s --rails 2 --kill-rail 1@0s:close"
                        .formatted(text(first), text(second), text(third))
                        .split(" ")))) {
      Map<?, ?> ready = process.readObject("proxy");
      List<?> ports = (List<?>) ready.get("ports");
      assertThat(ports).hasSize(2);
      try (DatagramChannel rail0 = client(ports.get(0));
          DatagramChannel rail1 = client(ports.get(1));
          DatagramChannel side = client(((List<?>) ready.get("sidePorts")).get(0))) {
        carry(1, rail0, first);
        carry(2, rail1, second);
        carry(3, side, third);
        process.tell(Map.of("verb", "start", "inNs", 0));
        await().until(() -> isRefused(rail1));
        carry(4, rail0, first);
      }
      process.endInput();
      Map<?, ?> end = process.readObject("proxy");
      assertThat(((Number) at(end, 0, "out", "forwarded")).longValue()).isEqualTo(3);
      assertThat(((Number) at(end, 0, "back", "received")).longValue()).isZero();
      assertThat((List<?>) end.get("events")).hasSize(1);
      Map<?, ?> event = (Map<?, ?>) ((List<?>) end.get("events")).get(0);
      assertThat(event.get("kind")).isEqualTo("kill:close");
      assertThat(((Number) event.get("rail")).intValue()).isEqualTo(1);
    }
  }
}
