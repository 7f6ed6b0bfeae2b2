package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.wire.PacketType;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Strangers in numbers, on virtual time: whatever they send, an honest client gets in, and nobody
 * is sent more than three times his bytes.
 */
class FloodTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int SEEDS = 3;

  private final ConnectionConfig config = ConnectionConfig.builder().build();

  /** Bytes both ways between the server and each stranger. */
  private static final class Strangers {
    private final Map<InetSocketAddress, long[]> bytes = new HashMap<>();
    private final TreeSet<Integer> types = new TreeSet<>();

    void knock(EndpointPair pair, Host server, InetSocketAddress from, byte[] packet) {
      of(from)[0] += packet.length;
      pair.forge(from, server, packet);
    }

    void onAnswer(InetSocketAddress to, byte[] packet) {
      long[] both = of(to);
      both[1] += packet.length;
      types.add(packet[1] & 0x1F);
      assertThat(both[1])
          .as("bytes to %s, the last %s", to, PacketType.name(packet[1]))
          .isLessThanOrEqualTo(Limits.AMPLIFICATION_MAX * both[0]);
    }

    private long[] of(InetSocketAddress address) {
      return bytes.computeIfAbsent(address, a -> new long[2]);
    }
  }

  @Test
  void shouldLetAnHonestClientInWhileForgedConnectsArriveTwentyThousandASecond() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      EndpointPair pair = new EndpointPair();
      Host server = pair.host();
      server.listen();
      Knocks knocks = new Knocks(seed);
      Strangers strangers = new Strangers();
      pair.nowhere = strangers::onAnswer;
      Random faults = new Random(seed);
      pair.loss = flying -> faults.nextInt(5) == 0;
      Peer honest = null;
      for (int milli = 0; milli < 2_500; milli++) {
        for (int i = 0; i < 20; i++) {
          strangers.knock(pair, server, knocks.anywhere(), knocks.connect(null));
        }
        pair.runFor(MS);
        if (milli == 500) {
          honest = pair.host().connect(server, config);
        }
      }

      assertThat(honest.events).as("seed %d", seed).containsExactly("established");
      assertThat(server.accepted).as("seed %d", seed).hasSize(1);
      assertThat(server.node.size()).isEqualTo(Limits.HALF_OPEN_MAX / 2 + 1);
      assertThat(server.count(CounterId.RETRIES_SENT)).isGreaterThan(40_000);
      pair.runFor(HalfOpen.LIFETIME_NS);
      assertThat(server.node.size()).isEqualTo(1);
    }
  }

  @Test
  void shouldHoldOneNetworkToItsShareThoughItAnswersEveryRetry() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      EndpointPair pair = new EndpointPair();
      Host server = pair.host(new EndpointConfig(0, 1_000, 64, 32, 8));
      server.listen();
      Knocks knocks = new Knocks(seed);
      Strangers strangers = new Strangers();
      pair.nowhere =
          (to, packet) -> {
            strangers.onAnswer(to, packet);
            if ((packet[1] & 0x1F) == PacketType.RETRY) {
              strangers.knock(pair, server, to, knocks.connect(Knocks.token(packet)));
            }
          };
      for (int i = 0; i < 500; i++) {
        strangers.knock(pair, server, knocks.inOneNetwork(), knocks.connect(null));
        pair.runFor(MS);
      }
      assertThat(server.node.size()).as("seed %d", seed).isEqualTo(32 + 8);
      assertThat(server.count(CounterId.HALF_OPENS_REFUSED)).isEqualTo(500 - 32 - 8);
      Peer honest = pair.host().connect(server, config);
      pair.runFor(MS);

      assertThat(honest.events).as("seed %d", seed).containsExactly("established");
      // Those that expire make room for others of the same network.
      pair.runFor(HalfOpen.LIFETIME_NS);
      assertThat(server.node.size()).isEqualTo(1);
    }
  }

  @Test
  void shouldNotLetForgedConnectsUseUpTheShareOfTheNetworkThatTheyName() {
    EndpointPair pair = new EndpointPair();
    Host server = pair.host(new EndpointConfig(0, 1_000, 64, 32, 8));
    server.listen();
    Knocks knocks = new Knocks(1);
    for (int i = 0; i < 200; i++) {
      int last = 0x7F00_0000 | i; // the honest client's network
      pair.forge(Knocks.address(last, 9), server, knocks.connect(null));
    }
    pair.runFor(MS);
    Peer honest = pair.host().connect(server, config);
    pair.runFor(MS);

    assertThat(honest.events).containsExactly("established");
  }

  @Test
  void shouldDropConnectsWithATokenWhenTheTableIsFullAndTakeThemOnceThereIsRoom() {
    EndpointPair pair = new EndpointPair();
    Host server = pair.host(new EndpointConfig(0, 1_000, 3, 0, 100));
    server.listen();
    Knocks knocks = new Knocks(1);
    pair.nowhere =
        (to, packet) -> {
          if ((packet[1] & 0x1F) == PacketType.RETRY) {
            pair.forge(to, server, knocks.connect(Knocks.token(packet)));
          }
        };
    for (int i = 0; i < 3; i++) {
      pair.forge(knocks.anywhere(), server, knocks.connect(null));
    }
    pair.runFor(MS);
    assertThat(server.node.size()).isEqualTo(3);
    assertThat(server.count(CounterId.HALF_OPENS_REFUSED)).isZero();
    pair.runFor(HalfOpen.LIFETIME_NS - SECOND);
    Peer honest = pair.host().connect(server, config);
    pair.runFor(MS);
    assertThat(server.count(CounterId.HALF_OPENS_REFUSED)).isEqualTo(1);
    assertThat(honest.events).isEmpty();
    pair.runFor(3 * SECOND);

    assertThat(honest.events).containsExactly("established");
  }

  @Test
  void shouldSendNobodyMoreThanThreeTimesHisBytesByAnyPacketType() {
    EndpointPair pair = new EndpointPair();
    Host open = pair.host(new EndpointConfig(0, 1_000, 64, 4, 8));
    open.listen();
    Host shut = pair.host();
    Peer client = pair.host().connect(open, config);
    pair.runFor(MS);
    Connection target = open.accepted.get(0).connection;
    Knocks knocks = new Knocks(1);
    Strangers strangers = new Strangers();
    pair.nowhere = strangers::onAnswer;

    InetSocketAddress patient = knocks.anywhere();
    byte[] connect = knocks.connect(null);
    for (int i = 0; i < 50; i++) {
      strangers.knock(pair, open, patient, connect); // ACCEPT each time
    }
    for (int i = 0; i < 50; i++) {
      strangers.knock(pair, open, knocks.anywhere(), knocks.connect(null)); // ACCEPT, RETRY
      strangers.knock(pair, shut, knocks.anywhere(), knocks.connect(null)); // REJECT
      strangers.knock(pair, open, knocks.anywhere(), knocks.connectOfVersion(2));
    }
    for (int type = PacketType.REQUEST; type <= PacketType.VERSION_NEGOTIATION; type++) {
      for (int length = 20; length < 100; length++) { // RESET
        pair.runFor(MS);
        strangers.knock(pair, open, knocks.anywhere(), knocks.packet(type, 0x0077_7701, length));
      }
    }
    InetSocketAddress mirror = knocks.anywhere();
    for (int i = 0; i < 200; i++) { // PATH_CHALLENGE
      byte[] ping = knocks.ping(target.cid(), target.cookie());
      strangers.knock(pair, open, i < 100 ? mirror : knocks.anywhere(), ping);
      pair.runFor(20 * MS);
    }

    assertThat(strangers.types)
        .containsExactly(
            PacketType.RETRY,
            PacketType.ACCEPT,
            PacketType.REJECT,
            PacketType.PATH_CHALLENGE,
            PacketType.RESET,
            PacketType.VERSION_NEGOTIATION);
    assertThat(client.reason).isNull();
  }

  @Test
  void shouldRefuseAShareOfAPrefixOutsideItsRange() {
    assertThat(new EndpointConfig(0, 1, 1, 0, 1).halfOpenPerPrefixMax()).isEqualTo(1);
    assertThat(new EndpointConfig(0, 1, 1, 0, 65_535).halfOpenPerPrefixMax()).isEqualTo(65_535);
    assertThatThrownBy(() -> new EndpointConfig(0, 1, 1, 0, 0))
        .hasMessage("halfOpenPerPrefixMax=0 must be in 1..65535");
    assertThatThrownBy(() -> new EndpointConfig(0, 1, 1, 0, 65_536))
        .hasMessage("halfOpenPerPrefixMax=65536 must be in 1..65535");
  }

  @Test
  void shouldTakeATokenOfAnotherLoopOfTheSameNodeAndOfNoOther() {
    EndpointPair pair = new EndpointPair();
    EndpointConfig demanding = new EndpointConfig(0, 100, 100, 0, 100);
    Host first = pair.host(demanding);
    Host second = pair.host(demanding);
    final Host stranger = pair.host(demanding);
    NodeIdentity node = NodeIdentity.draw(new Random(3), pair.nowNs);
    first.node.identity(node);
    second.node.identity(node);
    pair.hosts.forEach(host -> host.listen());
    Knocks knocks = new Knocks(9);
    InetSocketAddress from = knocks.anywhere();
    byte[][] answer = new byte[1][];
    pair.nowhere = (to, packet) -> answer[0] = packet;
    pair.forge(from, first, knocks.connect(null));
    pair.runFor(MS);
    assertThat(answer[0][1] & 0x1F).isEqualTo(PacketType.RETRY);
    byte[] token = Knocks.token(answer[0]);

    pair.forge(from, stranger, knocks.connect(token));
    pair.runFor(MS);
    assertThat(answer[0][1] & 0x1F).isEqualTo(PacketType.RETRY);
    pair.forge(from, second, knocks.connect(token));
    pair.runFor(MS);
    assertThat(answer[0][1] & 0x1F).isEqualTo(PacketType.ACCEPT);
  }
}
