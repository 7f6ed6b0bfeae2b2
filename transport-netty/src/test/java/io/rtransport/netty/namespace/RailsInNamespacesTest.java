package io.rtransport.netty.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.netty.TransportKind;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two hosts of the kernel with two cables between them, and what breaks there. */
@Timeout(120)
class RailsInNamespacesTest {
  @ParameterizedTest
  @EnumSource(TransportKind.class)
  void shouldLoseNothingWhenADeviceGoesDownAndUseItAgainWhenItIsUp(TransportKind kind)
      throws Exception {
    kind.assumeAvailable();
    try (Namespace ours = Namespace.create();
        Namespace peers = Namespace.create()) {
      ours.join(peers, "cable0", "10.9.0.1/24", "10.9.0.2/24");
      ours.join(peers, "cable1", "10.9.1.1/24", "10.9.1.2/24");
      Process server = peers.java(EchoServer.class, kind.name());
      try (BufferedReader said = server.inputReader(StandardCharsets.UTF_8)) {
        String port = said.readLine();
        Process client = ours.java(RailedClient.class, kind.name(), port, peers.name());
        byte[] result = client.getInputStream().readAllBytes();
        assertThat(client.waitFor(10, TimeUnit.SECONDS)).isTrue();
        assertThat(new String(result, StandardCharsets.UTF_8)).endsWith("nothing lost\n");
        assertThat(client.exitValue()).isZero();
      } finally {
        server.destroyForcibly().waitFor();
      }
    }
  }
}
