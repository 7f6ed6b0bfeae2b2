package io.rtransport.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.loop.LoopDrivers;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Packets of several senders in the buffer of one read, as io_uring's chain of datagrams brings
 * them, all naming one connection.
 */
@Timeout(60)
class SendersOfOneReadTest {
  private static final InetSocketAddress CLIENT = new InetSocketAddress("127.0.0.1", 1);
  private static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 2);
  private static final InetSocketAddress ELSEWHERE = new InetSocketAddress("127.0.0.3", 3);

  private final ManualSide client = new ManualSide(0, CLIENT, SERVER);
  private final ManualSide server = new ManualSide(1, SERVER, CLIENT);
  private final Inbox atServer = new Inbox();
  private Channel channel;

  @BeforeEach
  void connect() {
    channel = ManualSide.connect(client, server, atServer, new Inbox());
    write("first"); // confirms the handshake
    ManualSide.exchange(client, server);
    assertThat(atServer.waiting()).isEqualTo(1);
    server.destinations.clear();
  }

  @AfterEach
  void stop() {
    client.node.close();
    server.node.close();
  }

  /** A packet of its own. */
  private void write(String text) {
    channel.writeAndFlush(EchoTest.text(text));
    client.run();
  }

  private long counted(CounterId id) {
    return LoopDrivers.of(server.node.loop()).counters().value(id);
  }

  @Test
  void shouldAskAnotherAddressWhosePacketLiesBehindOneOfThePeers() {
    write("second");
    write("third");
    assertThat(client.sent).hasSize(2);
    server.take(client.sent, i -> i == 0 ? CLIENT : ELSEWHERE, () -> {});

    assertThat(counted(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(1);
    assertThat(server.destinations).contains(ELSEWHERE);
    assertThat(atServer.waiting()).as("heard, for the cookie is right").isEqualTo(3);
  }

  @Test
  void shouldAskNobodyWhereAllAreThePeers() {
    write("second");
    write("third");
    server.take(client.sent, i -> new InetSocketAddress("127.0.0.1", 1), () -> {});

    assertThat(counted(CounterId.PATH_CHALLENGES_SENT)).isZero();
    assertThat(server.destinations).isNotEmpty().containsOnly(CLIENT);
    assertThat(atServer.waiting()).isEqualTo(3);
  }

  @Test
  void shouldHearThePeersOwnPacketBehindOneFromAnotherAddress() {
    write("second");
    write("third");
    write("fourth");
    server.take(client.sent, i -> i == 1 ? ELSEWHERE : CLIENT, () -> {});

    assertThat(counted(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(1);
    assertThat(counted(CounterId.PATH_CANDIDATES_REFUSED)).isZero();
    assertThat(atServer.waiting()).isEqualTo(4);
  }

  /**
   * A response is looked at with its address only, so a packet of the same new address before it
   * must not hide it.
   */
  @Test
  void shouldFollowThePeerWhoseAnswerLiesBehindAnotherPacketFromItsNewAddress() {
    write("second");
    server.take(client.sent, i -> ELSEWHERE, () -> {});
    assertThat(counted(CounterId.PATH_CHALLENGES_SENT)).isEqualTo(1);
    write("third");
    client.take(server.sent, () -> {});
    assertThat(client.sent).as("the third, and the answer").hasSizeGreaterThanOrEqualTo(2);
    server.destinations.clear();
    server.take(client.sent, i -> ELSEWHERE, () -> {});

    assertThat(counted(CounterId.PATHS_MOVED)).isEqualTo(1);
    assertThat(atServer.waiting()).isEqualTo(3);
    write("fourth");
    server.destinations.clear();
    server.take(client.sent, i -> ELSEWHERE, () -> {});
    assertThat(server.destinations).isNotEmpty().containsOnly(ELSEWHERE);
  }
}
