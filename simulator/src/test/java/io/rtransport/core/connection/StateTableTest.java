package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.connection.EndpointPair.Flying;
import io.rtransport.core.connection.EndpointPair.Host;
import io.rtransport.core.connection.EndpointPair.Peer;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.text.PrintedTable;
import io.rtransport.core.wire.ClearHeaderFlyweight;
import io.rtransport.core.wire.ConnectFlyweight;
import io.rtransport.core.wire.FinFlyweight;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

/**
 * What a connection does in each of its states with each event, found out by bringing a connection
 * into the state and letting the event happen, and compared with the table in
 * docs/reference/protocol.md.
 */
class StateTableTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long EVER = TimeUnit.MINUTES.toNanos(7);

  /** How a connection of the initiator comes to be so. */
  private enum State {
    CONNECTING,
    ESTABLISHED,
    HALF_CLOSED,
    DRAINING,
    CLOSE_SENT,
    CLOSE_KEPT,
    ABORT_SENT,
    LINGERING,
    FORGOTTEN
  }

  /** What happens to it. */
  private enum Event {
    ACCEPT("ACCEPT"),
    RETRY("RETRY"),
    REJECT("REJECT"),
    PING("PING"),
    PONG("PONG with an unknown id"),
    FIN("FIN"),
    FIN_CLOSING("FIN with CLOSING"),
    CLOSE("CLOSE, all below its final PSNs received"),
    CLOSE_EARLY("CLOSE, something below them missing"),
    CLOSE_ABORT("CLOSE with ABORT"),
    CLOSE_WRONG("CLOSE with a final PSN that cannot be"),
    CLOSE_ACK("CLOSE_ACK"),
    RESET("RESET with the right cookie"),
    FIN_VERB("the application half-closes"),
    CLOSE_VERB("the application closes"),
    ABORT_VERB("the application aborts"),
    SILENCE("silence for ever");

    final String text;

    Event(String text) {
      this.text = text;
    }
  }

  private final LoopResources forger = new LoopResources(1 << 16, 64, new Random(5));
  private EndpointPair pair;
  private Peer client;
  private Peer server;
  private boolean isOpenWire;
  private boolean isCloseKept;

  @Test
  void shouldDoWhatTheTableSays() throws Exception {
    String table =
        PrintedTable.of(
            "event",
            List.of(Event.values()),
            event -> event.text,
            List.of(State.values()),
            StateTableTest::name,
            (event, state) -> cell(state, event));
    PrintedTable.check(StateTableTest.class, "connection", table);
  }

  private static String name(State state) {
    return state.name().replace('_', ' ');
  }

  /** What is sent, what the application is told, and the state after it; a dot for nothing. */
  private String cell(State state, Event event) {
    enter(state);
    assertThat(state()).as("made").isEqualTo(state);
    int sentBefore = pair.seen.size();
    boolean wasTold = client.reason != null;
    boolean hadEnded = client.events.contains("finished");
    happen(event);
    Set<String> parts = new LinkedHashSet<>();
    for (Flying flying : pair.seen.subList(sentBefore, pair.seen.size())) {
      if (flying.from().equals(client.host.address)) {
        parts.add(PacketType.name(flying.type()));
      }
    }
    if (!hadEnded && client.events.contains("finished")) {
      parts.add("told the end of input");
    }
    if (!wasTold && client.reason != null) {
      parts.add("told " + CloseCode.nameOf(client.reason.code()));
    }
    if (state() != state) {
      parts.add("→ " + name(state()));
    }
    return parts.isEmpty() ? "·" : String.join("; ", parts);
  }

  private State state() {
    Connection connection = client.connection;
    boolean hasSentClose =
        pair.seen.stream()
            .anyMatch(
                flying ->
                    flying.type() == PacketType.CLOSE && flying.from().equals(client.host.address));
    if (connection.isEnded()) {
      return client.host.node.size() == 0
          ? State.FORGOTTEN
          : client.reason.isByPeer() ? State.LINGERING : State.ABORT_SENT;
    }
    if (!connection.isEstablished()) {
      return State.CONNECTING;
    }
    if (isCloseKept) {
      return State.CLOSE_KEPT;
    }
    if (hasSentClose || !connection.closing().isOpen()) {
      return hasSentClose ? State.CLOSE_SENT : State.DRAINING;
    }
    return connection.transaction().isFinishing() ? State.HALF_CLOSED : State.ESTABLISHED;
  }

  // ---- states

  private void enter(State state) {
    begin();
    if (state == State.CONNECTING) {
      isOpenWire = false;
      client.flush();
      pair.runFor(MS);
      return;
    }
    pair.runFor(MS);
    server = pair.hosts.get(0).accepted.get(0);
    client.push(10);
    pair.runFor(10 * MS);
    switch (state) {
      case HALF_CLOSED -> {
        happen(Event.FIN_VERB);
        pair.runFor(10 * MS);
      }
      case DRAINING -> {
        server.isAcknowledging = false;
        client.push(10);
        pair.runFor(10 * MS);
        isOpenWire = false;
        happen(Event.CLOSE_VERB);
      }
      case CLOSE_SENT -> {
        pair.loss = flying -> flying.type() == PacketType.CLOSE_ACK;
        happen(Event.CLOSE_VERB);
        pair.runFor(10 * MS);
      }
      case CLOSE_KEPT -> happen(Event.CLOSE_EARLY);
      case ABORT_SENT -> {
        isOpenWire = false;
        pair.loss = flying -> !isOpenWire;
        happen(Event.ABORT_VERB);
      }
      case LINGERING -> {
        server.close(0, "");
        server.flush();
        pair.runFor(10 * MS);
      }
      case FORGOTTEN -> {
        happen(Event.ABORT_VERB);
        pair.runFor(10 * MS);
      }
      default -> {
        // ESTABLISHED it is.
      }
    }
    isOpenWire = false;
    pair.loss = flying -> !isOpenWire;
  }

  /** Two hosts, and the first CONNECT on its way. */
  private void begin() {
    pair = new EndpointPair();
    isOpenWire = true;
    isCloseKept = false;
    pair.loss = flying -> !isOpenWire;
    Host host = pair.host();
    host.listen();
    client = pair.host().connect(host, ConnectionConfig.builder().build());
  }

  // ---- events

  private void happen(Event event) {
    Connection connection = client.connection;
    switch (event) {
      case FIN_VERB -> {
        connection.verbs().finish();
        client.flush();
      }
      case CLOSE_VERB -> {
        client.close(CloseCode.NORMAL.code(), "");
        client.flush();
      }
      case ABORT_VERB -> {
        client.abort(CloseCode.ABORTED.code(), "");
        client.flush();
      }
      case SILENCE -> pair.runFor(EVER);
      default -> arrive(event);
    }
  }

  private void arrive(Event event) {
    State before = state();
    byte[] packet = event == Event.ACCEPT ? accept() : forged(packets -> forge(packets, event));
    boolean wasOpen = isOpenWire;
    isOpenWire = true;
    pair.inject(pair.hosts.get(0), client.host.address, packet);
    isOpenWire = wasOpen;
    pair.runFor(EndpointPair.DELAY_NS + 1);
    isCloseKept |= event == Event.CLOSE_EARLY && before == State.ESTABLISHED;
  }

  private byte[] forged(ToIntFunction<ControlPackets> write) {
    byte[] packet = new byte[write.applyAsInt(forger.packets())];
    forger.packets().buffer().get(0, packet);
    return packet;
  }

  private int forge(ControlPackets packets, Event event) {
    Connection c = client.connection;
    return switch (event) {
      case FIN -> fin(packets, 0);
      case FIN_CLOSING -> fin(packets, FinFlyweight.FLAG_CLOSING);
      case RETRY -> packets.retry(c.cid(), c.cookie(), nonce(), new byte[32]);
      case REJECT -> packets.reject(c.cid(), c.cookie(), nonce(), CloseCode.REJECTED);
      case PING -> packets.ping(c.cid(), c.cookie(), 99, 0);
      case PONG -> packets.pong(c.cid(), c.cookie(), 99, 0, 0);
      case CLOSE -> close(packets, 0, false);
      case CLOSE_EARLY -> close(packets, 1, false);
      case CLOSE_ABORT -> close(packets, 1, true);
      case CLOSE_WRONG -> close(packets, -1, false);
      case CLOSE_ACK -> packets.closeAck(c.cid(), c.cookie(), false);
      default -> packets.reset(c.peerCid(), c.peerCookie());
    };
  }

  /** Of a peer that began nothing. Its bases are old, which is no fault. */
  private int fin(ControlPackets packets, int flags) {
    Connection c = client.connection;
    int length = NumberedHeaderFlyweight.HEADER_LENGTH + FinFlyweight.FIXED_LENGTH + 4;
    ByteBuffer buffer = packets.buffer();
    buffer.put(0, new byte[length]);
    ClearHeaderFlyweight clear = new ClearHeaderFlyweight().wrap(buffer, 0);
    clear.version(ClearHeaderFlyweight.VERSION).typeAndFlags(PacketType.DATA).length(length);
    clear.destinationCid(c.cid()).cookie(c.cookie());
    AgreedParameters agreed = c.agreed();
    if (agreed != null) {
      new NumberedHeaderFlyweight()
          .wrap(buffer, 0)
          .psn(c.window().receivedBase(WindowClass.DATA))
          .requestAckBase(agreed.txNumbers().requestPsn())
          .dataAckBase(agreed.txNumbers().dataPsn())
          .recordCount(1);
      new FinFlyweight()
          .wrapNew(buffer, NumberedHeaderFlyweight.HEADER_LENGTH)
          .finalRsn(agreed.rxNumbers().rsn())
          .flags(flags);
    }
    new Integrity().seal(buffer, 0, length);
    return length;
  }

  private int close(ControlPackets packets, int above, boolean isAbort) {
    Connection c = client.connection;
    boolean hasWindow = c.window() != null;
    return packets.close(
        c.cid(),
        c.cookie(),
        777,
        "bye",
        isAbort,
        hasWindow ? c.window().receivedBase(WindowClass.REQUEST) : 0,
        above + (hasWindow ? c.window().receivedBase(WindowClass.DATA) : 0));
  }

  private long nonce() {
    Flying connect = first(pair, PacketType.CONNECT);
    return new ConnectFlyweight().wrap(ByteBuffer.wrap(connect.bytes()), 0).nonce();
  }

  /** The one that this connection was, or would have been, sent: the same world gives the same. */
  private byte[] accept() {
    EndpointPair mine = pair;
    Peer subject = client;
    boolean wasOpen = isOpenWire;
    boolean wasKept = isCloseKept;
    begin();
    pair.runFor(MS);
    byte[] packet = first(pair, PacketType.ACCEPT).bytes();
    pair = mine;
    client = subject;
    isOpenWire = wasOpen;
    isCloseKept = wasKept;
    return packet;
  }

  private static Flying first(EndpointPair pair, int type) {
    List<Flying> found = new ArrayList<>(pair.seen);
    found.removeIf(flying -> flying.type() != type);
    return found.get(0);
  }
}
