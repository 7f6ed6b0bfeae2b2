package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A path dies while a solicited push runs. The last grant may leave on it, at a time when nothing
 * is on its way on the other path. Then neither side has anything that shows that the other path
 * works, unless it asks.
 */
class GrantsOnADarkPathTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long STEP_NS = MS / 50;
  private static final long GAP_NS_MAX = 10 * MS;
  private static final int MESSAGE_BYTES = 32 << 20;
  private static final int MESSAGES = 6;

  /** A profile whose timeouts are long: they must not decide. */
  private static final ConnectionConfig CONFIG =
      ConnectionConfig.builder().adpProfile(BuiltInProfiles.LOSSY).build();

  private static final InetSocketAddress SERVER_2 = Knocks.address(0x0A01_0001, 7_400);
  private static final InetSocketAddress CLIENT_2 = Knocks.address(0x0A01_0002, 7_401);

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})
  void shouldGoOnWithinMillisecondsWheneverThePathDies(int thirdsOfMillis) {
    EndpointPair pair = new EndpointPair();
    Host server = pair.host().ni(SERVER_2, "b");
    server.acceptConfig = CONFIG;
    server.listen();
    Host client = pair.host().ni(CLIENT_2, "b");
    Peer initiator = client.connect(CONFIG, new Pair(0, server.address), new Pair(1, SERVER_2));
    pair.runFor(1_000 * MS);
    for (int i = 0; i < MESSAGES; i++) {
      initiator.push(MESSAGE_BYTES);
    }
    pair.runFor(20 * MS + thirdsOfMillis * MS / 3);
    pair.loss = flying -> flying.ni() == 1;
    long received = server.count(CounterId.MESSAGE_BYTES_RECEIVED);
    assertThat(received).as("in mid-transfer").isBetween(1L << 20, (long) MESSAGE_BYTES * 5);
    long movedNs = pair.nowNs;
    long gapNs = 0;
    while (received < (long) MESSAGES * MESSAGE_BYTES) {
      pair.runFor(STEP_NS);
      long now = server.count(CounterId.MESSAGE_BYTES_RECEIVED);
      if (now > received) {
        gapNs = Math.max(gapNs, pair.nowNs - movedNs);
        movedNs = pair.nowNs;
        received = now;
      }
      assertThat(pair.nowNs - movedNs).as("silence, ns").isLessThan(1_000 * MS);
    }
    assertThat(gapNs).as("longest gap, ns").isLessThan(GAP_NS_MAX);
    assertThat(client.count(CounterId.PATHS_SUSPECTED)).isEqualTo(1);
    assertThat(server.count(CounterId.PATHS_SUSPECTED)).isEqualTo(1);
  }
}
