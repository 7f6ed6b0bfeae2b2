package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What an established connection does in each state of an address with each event there, compared
 * with the table in docs/reference/protocol.md.
 */
class PathStateTableTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final InetSocketAddress NEW_PORT = Knocks.address(0x7F00_0001, 9_999);
  private static final InetSocketAddress STRANGE = Knocks.address(0x0A00_0001, 7);

  /** What the address is. */
  private enum State {
    UNKNOWN(PeerAddress.State.UNKNOWN, "UNKNOWN"),
    NO_PLACE(PeerAddress.State.UNKNOWN, "UNKNOWN, four others CHALLENGED"),
    CHALLENGED(PeerAddress.State.CHALLENGED, "CHALLENGED"),
    CURRENT(PeerAddress.State.CURRENT, "CURRENT"),
    FORMER(PeerAddress.State.FORMER, "FORMER");

    final PeerAddress.State state;
    final String text;

    State(PeerAddress.State state, String text) {
      this.state = state;
      this.text = text;
    }
  }

  /** What comes from there. */
  private enum Event {
    VALID("a valid packet (PING)"),
    DAMAGED("a packet with a wrong checksum"),
    FORGED("a packet with another cookie"),
    CHALLENGE("PATH_CHALLENGE"),
    RESPONSE("PATH_RESPONSE with the data of its challenge"),
    RESPONSE_WRONG("PATH_RESPONSE with other data"),
    SILENCE("nothing for 3 s");

    final String text;

    Event(String text) {
      this.text = text;
    }
  }

  private final Knocks knocks = new Knocks(1);
  private final Set<String> sent = new LinkedHashSet<>();
  private EndpointPair pair;
  private Host server;
  private Peer client;
  private Peer child;
  private InetSocketAddress address;
  private long challengeData;

  @Test
  void shouldDoWhatTheTableSays() throws Exception {
    String table =
        PrintedTable.of(
            "event at the address",
            List.of(Event.values()),
            event -> event.text,
            List.of(State.values()),
            state -> state.text,
            (event, state) -> cell(state, event));
    PrintedTable.check(PathStateTableTest.class, "path", table);
  }

  /**
   * What leaves, and for where, what is counted as refused, and what the address is then; a dot for
   * nothing.
   */
  private String cell(State state, Event event) {
    enter(state);
    assertThat(state()).as("made").isEqualTo(state.state);
    if (event == Event.RESPONSE && state != State.CHALLENGED) {
      return "–"; // there is none
    }
    final Map<CounterId, Long> before = refusals();
    sent.clear();
    pair.nowhere = this::onSent;
    pair.loss =
        flying -> {
          if (flying.from().equals(server.address)) {
            onSent(flying.to().address, flying.bytes());
          }
          return true;
        };
    happen(event);
    Set<String> parts = new LinkedHashSet<>(sent);
    refusals()
        .forEach(
            (id, count) -> {
              if (count > before.get(id)) {
                parts.add(id.name());
              }
            });
    if (state() != state.state) {
      parts.add("→ " + state());
    }
    return parts.isEmpty() ? "·" : String.join("; ", parts);
  }

  private void onSent(InetSocketAddress to, byte[] bytes) {
    boolean isThere = to.equals(address);
    boolean isCurrent = to.equals(child.connection.remote());
    String where = isThere ? "there" : isCurrent ? "to CURRENT" : "elsewhere";
    sent.add(PacketType.name(bytes[1] & 0x1F) + " " + where);
  }

  private PeerAddress.State state() {
    return child.connection.peerAddress.stateOf(address, pair.nowNs);
  }

  private Map<CounterId, Long> refusals() {
    Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
    for (CounterId id : CounterId.values()) {
      if (id.name().startsWith("DROP_") || id.name().endsWith("_REFUSED")) {
        counts.put(id, server.count(id));
      }
    }
    return counts;
  }

  private void enter(State state) {
    pair = new EndpointPair();
    server = pair.host();
    server.listen();
    client = pair.host().connect(server, ConnectionConfig.builder().build());
    pair.runFor(10 * MS);
    child = server.accepted.get(0);
    address = STRANGE;
    switch (state) {
      case NO_PLACE -> {
        for (int i = 0; i < Limits.PATH_CANDIDATES_MAX; i++) {
          arrive(Knocks.address(0x0A00_0100 | i, 7), ping(child.connection.cookie()));
        }
      }
      case CHALLENGED -> {
        pair.nowhere =
            (to, bytes) ->
                challengeData = new PathDataFlyweight().wrap(ByteBuffer.wrap(bytes), 0).data();
        arrive(address, ping(child.connection.cookie()));
      }
      case CURRENT -> address = client.host.address;
      case FORMER -> {
        address = client.host.address;
        client.host.address = NEW_PORT;
        client.push(10);
        pair.runFor(5 * MS);
      }
      default -> {
        // UNKNOWN it is.
      }
    }
  }

  private void happen(Event event) {
    long cookie = child.connection.cookie();
    byte[] damaged = ping(cookie);
    damaged[damaged.length - 1] ^= 1;
    switch (event) {
      case VALID -> arrive(address, ping(cookie));
      case DAMAGED -> arrive(address, damaged);
      case FORGED -> arrive(address, ping(cookie ^ 1));
      case CHALLENGE -> arrive(address, pathData(PacketType.PATH_CHALLENGE, 5));
      case RESPONSE -> arrive(address, pathData(PacketType.PATH_RESPONSE, challengeData));
      case RESPONSE_WRONG -> arrive(address, pathData(PacketType.PATH_RESPONSE, 5));
      default -> pair.runFor(TimeUnit.SECONDS.toNanos(3));
    }
  }

  private void arrive(InetSocketAddress from, byte[] packet) {
    pair.forge(from, server, packet);
    pair.runFor(EndpointPair.DELAY_NS + 1);
  }

  private byte[] ping(long cookie) {
    return knocks.ping(child.connection.cid(), cookie);
  }

  private byte[] pathData(int type, long data) {
    return knocks.pathData(type, child.connection.cid(), child.connection.cookie(), data);
  }
}
