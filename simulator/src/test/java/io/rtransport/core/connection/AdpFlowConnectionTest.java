package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.adp.DecMode;
import io.rtransport.core.adp.RoceAcclRegister;
import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.wire.PacketType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The sentences of the document "ADP flow" that need a connection, on the wire of a strict one; the
 * others are in {@code AdpFlowTest}.
 */
class AdpFlowConnectionTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final AdpParameters STRICT =
      AdpParameters.DEFAULT.withAckTimeout(0).withStrictProfile(true);

  /** First 4.1 ms, then 8.2 and 16.4 ms, two tries each, up to 262 ms without progress. */
  private static final AdpProfile LADDER =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(16)
          .initLowBound(10)
          .range(10, 2, 2, DecMode.DIV_2, 0)
          .build();

  private final EndpointPair pair = new EndpointPair();

  private static ConnectionConfig config(AdpProfile profile, AdpParameters parameters) {
    return ConnectionConfig.builder().adpProfile(profile).adpParameters(parameters).build();
  }

  private Peer connected(ConnectionConfig config) {
    Host server = pair.host();
    server.listen();
    Peer client = pair.host().connect(server, config);
    pair.runFor(100 * MS);
    assertThat(client.events).containsExactly("established");
    return client;
  }

  /** Cuts the wire, pushes, and says when the connection ended, in nanoseconds after the push. */
  private long endOfAPushIntoNothing(Peer client) {
    pair.seen.clear();
    pair.loss = flying -> true;
    long startNs = pair.nowNs;
    client.push(10);
    while (client.reason == null) {
      pair.runUntil(Math.max(pair.nowNs + 1, client.host.node.nextDeadlineNs()));
    }
    return pair.nowNs - startNs;
  }

  /** The gaps between the transmissions of the one packet. */
  private List<Long> gapsNs() {
    List<Long> sentNs = new ArrayList<>();
    for (Flying flying : pair.seen) {
      if (flying.type() == PacketType.DATA) {
        sentNs.add(flying.arrivesNs() - EndpointPair.DELAY_NS);
      }
    }
    List<Long> gaps = new ArrayList<>();
    for (int i = 1; i < sentNs.size(); i++) {
      gaps.add(sentNs.get(i) - sentNs.get(i - 1));
    }
    return gaps;
  }

  @Test
  @DisplayName(
      "Initialization and consecutive timeouts: the armed values, on the wire, the first included")
  void shouldResendAtTheValuesOfAStrictProfile() {
    endOfAPushIntoNothing(connected(config(LADDER, STRICT)));
    assertThat(gapsNs())
        .startsWith(4_000L << 10, 4_000L << 11, 4_000L << 11, 4_000L << 12, 4_000L << 12)
        .allMatch(gap -> gap <= 4_000L << 12);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 5: without progress for the total, IBV_WC_RETRY_EXC_ERR")
  void shouldFailWithRetryExceededAtTheTotal() {
    Peer client = connected(config(LADDER, STRICT));
    long endNs = endOfAPushIntoNothing(client);
    assertThat(endNs).isEqualTo(4_000L << 16);
    assertThat(client.reason.code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
    assertThat(client.ends).containsExactly(Outcome.UNKNOWN);
  }

  @Test
  @DisplayName("Consecutive timeouts, note 4 again: the total of the queue pair, on the wire")
  void shouldFailAtAckTimeoutTimesRetryCount() {
    AdpProfile profile =
        AdpProfile.builder()
            .qpTotalTimeout(true)
            .initLowBound(10)
            .range(10, 2, 2, DecMode.DIV_2, 0)
            .build();
    AdpParameters parameters = STRICT.withAckTimeout(12).withRetryCount(5);
    assertThat(endOfAPushIntoNothing(connected(config(profile, parameters))))
        .isEqualTo(5 * (4_096L << 12));
  }

  @Test
  @DisplayName("General 1: without a profile the built-in default holds")
  void shouldTakeTheBuiltInDefaultWithoutAProfile() {
    assertThat(ConnectionConfig.builder().build().adpProfile()).isEqualTo(BuiltInProfiles.DEFAULT);
    assertThat(endOfAPushIntoNothing(connected(ConnectionConfig.builder().build())))
        .isEqualTo(BuiltInProfiles.LAN.totalNs(AdpParameters.DEFAULT));
  }

  @Test
  @DisplayName("General 2: a profile that is selected holds for all connections made with it")
  void shouldHoldForEveryConnectionMadeWithIt() {
    ConnectionConfig config = config(LADDER, STRICT);
    Host server = pair.host();
    server.listen();
    Host host = pair.host();
    List<Peer> clients = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      clients.add(host.connect(server, config));
    }
    pair.runFor(100 * MS);
    pair.loss = flying -> true;
    clients.forEach(client -> client.push(10));
    pair.runFor((4_000L << 16) - 1);
    assertThat(clients).allMatch(client -> client.reason == null);
    pair.runFor(1);
    assertThat(clients).allMatch(client -> client.reason.code() == CloseCode.RETRY_EXCEEDED.code());
  }

  @Test
  @DisplayName(
      "General 3: back to the built-in profile only by a new start; ours, by a new register")
  void shouldKeepAConnectionsProfileWhateverIsSetLater() {
    RoceAcclRegister register = new RoceAcclRegister(BuiltInProfiles.DEFAULT);
    register.set(RoceAcclRegister.encode(LADDER));
    Peer early = connected(config(register.activeProfile(), register.parameters(STRICT)));
    register.set(RoceAcclRegister.encode(BuiltInProfiles.WAN));
    assertThat(endOfAPushIntoNothing(early)).isEqualTo(4_000L << 16);
    assertThat(new RoceAcclRegister(BuiltInProfiles.DEFAULT).activeProfile())
        .isEqualTo(BuiltInProfiles.LAN);
  }

  @Test
  @DisplayName("ROCE_ACCL layout, roce_adp_retrans_en = 0: a fixed timer, floor or not")
  void shouldResendAtAckTimeoutAlwaysWithoutAdaptation() {
    RoceAcclRegister register = new RoceAcclRegister(LADDER);
    register.set(RoceAcclRegister.encode(LADDER, 1, false));
    AdpParameters fixed = register.parameters(AdpParameters.DEFAULT.withAckTimeout(11));
    assertThat(endOfAPushIntoNothing(connected(config(LADDER, fixed)))).isEqualTo(4_000L << 16);
    assertThat(gapsNs()).hasSizeGreaterThan(20).allMatch(gap -> gap == 4_096L << 11);
  }
}
