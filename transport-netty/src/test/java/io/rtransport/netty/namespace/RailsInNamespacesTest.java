package io.rtransport.netty.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.netty.TransportKind;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two hosts of the kernel with two cables between them, and what breaks there. The hosts of all
 * kinds of sockets run beside each other, for most of their time they wait for the kernel.
 */
@Timeout(120)
class RailsInNamespacesTest {
  private static final Map<TransportKind, World> WORLDS = new EnumMap<>(TransportKind.class);

  /** A server and a client, each in a namespace and a process of its own. */
  private static final class World implements AutoCloseable {
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private Process client;

    static World start(TransportKind kind) throws Exception {
      World world = new World();
      try {
        world.open(kind);
        return world;
      } catch (Exception | Error e) {
        world.close();
        throw e;
      }
    }

    private void open(TransportKind kind) throws Exception {
      Namespace ours = Namespace.create();
      opened.push(ours);
      Namespace peers = Namespace.create();
      opened.push(peers);
      ours.join(peers, "cable0", "10.9.0.1/24", "10.9.0.2/24");
      ours.join(peers, "cable1", "10.9.1.1/24", "10.9.1.2/24");
      Process server = peers.java(EchoServer.class, kind.name());
      opened.push(() -> server.destroyForcibly().waitFor());
      String port = server.inputReader(StandardCharsets.UTF_8).readLine();
      client = ours.java(RailedClient.class, kind.name(), port, peers.name());
      opened.push(() -> client.destroyForcibly().waitFor());
    }

    @Override
    public void close() throws Exception {
      while (!opened.isEmpty()) {
        opened.pop().close();
      }
    }
  }

  @BeforeAll
  static void startAll() throws Exception {
    for (TransportKind kind : TransportKind.values()) {
      if (kind.isAvailable()) {
        WORLDS.put(kind, World.start(kind));
      }
    }
  }

  @AfterAll
  static void endAll() throws Exception {
    for (World world : WORLDS.values()) {
      world.close();
    }
  }

  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldLoseNothingWhenADeviceGoesDownAndUseItAgainWhenItIsUp(TransportKind kind)
      throws Exception {
    kind.assumeAvailable();
    Process client = WORLDS.get(kind).client;
    byte[] result = client.getInputStream().readAllBytes();
    assertThat(client.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(new String(result, StandardCharsets.UTF_8)).endsWith("nothing lost\n");
    assertThat(client.exitValue()).isZero();
  }
}
