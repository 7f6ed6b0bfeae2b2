package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.PathDataFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What an established connection does in each state of an address with each event there, compared
 * with the table in docs/reference/protocol.md.
 */
class PathStateTableTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final ConnectionConfig CONFIG = ConnectionConfig.builder().build();
  private static final InetSocketAddress NEW_PORT = Knocks.address(0x7F00_0001, 9_999);
  private static final InetSocketAddress STRANGE = Knocks.address(0x0A00_0001, 7);

  /** What the address is. */
  private enum State {
    UNKNOWN(PairState.UNKNOWN, "UNKNOWN"),
    NO_PLACE(PairState.UNKNOWN, "UNKNOWN, four others CHALLENGED"),
    CHALLENGED(PairState.CHALLENGED, "CHALLENGED"),
    EIGHT_OPEN(PairState.CHALLENGED, "CHALLENGED, eight paths open"),
    OPENING(PairState.OPENING, "OPENING"),
    CURRENT(PairState.CURRENT, "CURRENT"),
    SECOND(PairState.CURRENT, "CURRENT of path 1"),
    FORMER(PairState.FORMER, "FORMER");

    final PairState state;
    final String text;

    State(PairState state, String text) {
      this.state = state;
      this.text = text;
    }

    /** Whether it can only be if both sides know rails. */
    boolean isOfRails() {
      return this == EIGHT_OPEN || this == OPENING || this == SECOND;
    }
  }

  /** What comes from there. */
  private enum Event {
    VALID("a valid packet (PING)"),
    DAMAGED("a packet with a wrong checksum"),
    FORGED("a packet with another cookie"),
    CHALLENGE("PATH_CHALLENGE"),
    RESPONSE("PATH_RESPONSE with the data of its challenge"),
    RESPONSE_NO_ID("PATH_RESPONSE with the data of its challenge, without a path id"),
    RESPONSE_KNOWN_ID("the same with the peer's id of path 0"),
    RESPONSE_NEW_ID("the same with a path id that is new"),
    RESPONSE_WRONG("PATH_RESPONSE with other data"),
    SILENCE("nothing for 3 s");

    final String text;

    Event(String text) {
      this.text = text;
    }

    boolean isResponse() {
      return name().startsWith("RESPONSE") && this != RESPONSE_WRONG;
    }

    /** Whether it can only be if both sides know rails, or only if one does not. */
    boolean isWith(boolean hasRails) {
      return !isResponse() || hasRails == (this != RESPONSE);
    }
  }

  private final Knocks knocks = new Knocks(1);
  private final Set<String> sent = new LinkedHashSet<>();
  private EndpointPair pair;
  private boolean hasRails;
  private Host server;
  private Peer client;
  private Peer child;

  /** The side whose table it is: the target, or the initiator of what it opens. */
  private Peer own;

  private InetSocketAddress address;
  private long challengeData;

  @Test
  void shouldDoWhatTheTableSaysWithAPeerThatKnowsNoRails() throws Exception {
    PrintedTable.check(PathStateTableTest.class, "path", table(false));
  }

  @Test
  void shouldDoWhatTheTableSaysWithAPeerThatKnowsRails() throws Exception {
    PrintedTable.check(PathStateTableTest.class, "rails", table(true));
  }

  private String table(boolean rails) {
    hasRails = rails;
    return PrintedTable.of(
        "event at the address",
        Stream.of(Event.values()).filter(event -> event.isWith(rails)).toList(),
        event -> event.text,
        Stream.of(State.values()).filter(state -> rails || !state.isOfRails()).toList(),
        state -> state.text,
        (event, state) -> cell(state, event));
  }

  /**
   * What leaves, and for where, what is counted as refused, and what the address is then; a dot for
   * nothing.
   */
  private String cell(State state, Event event) {
    enter(state);
    assertThat(state()).as("made").isEqualTo(state.state);
    if (event.isResponse() && challengeData == 0) {
      return "–"; // there is none
    }
    final int openBefore = own.connection.openPaths();
    final Map<CounterId, Long> before = refusals();
    sent.clear();
    pair.nowhere = this::onSent;
    pair.loss =
        flying -> {
          if (own.host == fromHost(flying)) {
            onSent(flying.toAddress(), flying.bytes());
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
    int opened = Integer.bitCount(own.connection.openPaths() & ~openBefore);
    if (state() != state.state) {
      parts.add("→ " + state() + (opened > 0 ? " of a new path" : ""));
    }
    return parts.isEmpty() ? "·" : String.join("; ", parts);
  }

  private void onSent(InetSocketAddress to, byte[] bytes) {
    boolean isThere = to.equals(address);
    boolean isCurrent = to.equals(own.connection.remote());
    String where = isThere ? "there" : isCurrent ? "to CURRENT" : "elsewhere";
    sent.add(PacketType.name(bytes[1] & 0x1F) + " " + where);
  }

  private PairState state() {
    return own.connection.peerPaths.stateOf(0, address, pair.nowNs);
  }

  private Map<CounterId, Long> refusals() {
    Map<CounterId, Long> counts = new EnumMap<>(CounterId.class);
    for (CounterId id : CounterId.values()) {
      if (id.name().startsWith("DROP_") || id.name().endsWith("_REFUSED")) {
        counts.put(id, own.host.count(id));
      }
    }
    return counts;
  }

  private Host fromHost(EndpointPair.Flying flying) {
    return flying.to() == server ? client.host : server;
  }

  private void enter(State state) {
    pair = new EndpointPair();
    pair.hasRails = hasRails;
    challengeData = 0;
    address = STRANGE;
    server = pair.host();
    server.listen();
    Pair[] pairs = {new Pair(0, server.address), new Pair(0, STRANGE)};
    Host host = pair.host();
    client = host.connect(CONFIG, state == State.OPENING ? pairs : Arrays.copyOf(pairs, 1));
    pair.nowhere = (to, bytes) -> takeChallenge(bytes);
    pair.runFor(10 * MS);
    child = server.accepted.get(0);
    own = state == State.OPENING ? client : child;
    switch (state) {
      case NO_PLACE -> {
        for (int i = 0; i < Limits.PATH_CANDIDATES_MAX; i++) {
          arrive(Knocks.address(0x0A00_0100 | i, 7), ping(own.connection.cookie()));
        }
        challengeData = 0;
      }
      case CHALLENGED -> arrive(address, ping(own.connection.cookie()));
      case EIGHT_OPEN -> {
        for (int i = 1; i < Limits.PATHS_MAX; i++) {
          open(Knocks.address(0x0A00_0100 | i, 7), i);
        }
        arrive(address, ping(own.connection.cookie()));
      }
      case CURRENT -> address = client.host.address;
      case SECOND -> {
        open(address, 1);
        challengeData = 0;
      }
      case FORMER -> {
        address = client.host.address;
        client.host.address = NEW_PORT;
        client.push(10);
        pair.runFor(5 * MS);
      }
      default -> {
        // UNKNOWN it is, or the client is opening it.
      }
    }
  }

  private void takeChallenge(byte[] bytes) {
    if ((bytes[1] & 0x1F) == PacketType.PATH_CHALLENGE) {
      challengeData = new PathDataFlyweight().wrap(ByteBuffer.wrap(bytes), 0).data();
    }
  }

  /** The peer opens a path to {@code from}. */
  private void open(InetSocketAddress from, int peersId) {
    arrive(from, ping(own.connection.cookie()));
    arrive(from, response(challengeData, peersId));
  }

  private void happen(Event event) {
    long cookie = own.connection.cookie();
    byte[] damaged = ping(cookie);
    damaged[damaged.length - 1] ^= 1;
    switch (event) {
      case VALID -> arrive(address, ping(cookie));
      case DAMAGED -> arrive(address, damaged);
      case FORGED -> arrive(address, ping(cookie ^ 1));
      case CHALLENGE -> arrive(address, pathData(PacketType.PATH_CHALLENGE, 5));
      case RESPONSE -> arrive(address, pathData(PacketType.PATH_RESPONSE, challengeData));
      case RESPONSE_NO_ID -> arrive(address, response(challengeData, -1));
      case RESPONSE_KNOWN_ID -> arrive(address, response(challengeData, 0));
      case RESPONSE_NEW_ID -> arrive(address, response(challengeData, 200));
      case RESPONSE_WRONG -> arrive(address, pathData(PacketType.PATH_RESPONSE, 5));
      default -> pair.runFor(TimeUnit.SECONDS.toNanos(3));
    }
  }

  private void arrive(InetSocketAddress from, byte[] packet) {
    pair.forge(from, own.host, packet);
    pair.runFor(EndpointPair.DELAY_NS + 1);
  }

  private byte[] ping(long cookie) {
    return knocks.ping(own.connection.cid(), cookie);
  }

  private byte[] pathData(int type, long data) {
    return hasRails && type == PacketType.PATH_CHALLENGE
        ? knocks.challenge(own.connection.cid(), own.connection.cookie(), data, 32)
        : knocks.pathData(type, own.connection.cid(), own.connection.cookie(), data);
  }

  private byte[] response(long data, int pathId) {
    return knocks.response(own.connection.cid(), own.connection.cookie(), data, pathId);
  }
}
