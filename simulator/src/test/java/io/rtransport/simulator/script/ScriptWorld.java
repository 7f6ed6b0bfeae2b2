package io.rtransport.simulator.script;

import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.EndpointConfig;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.solicitation.NodeBudgets;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.time.DeadlineWheel;
import io.rtransport.simulator.Node;
import io.rtransport.simulator.Wire;
import io.rtransport.simulator.script.Script.Line;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Our connection, set up with a stand-in that is gone afterwards: from then on only the script
 * speaks for the peer. Virtual time. The round trip of the set-up is 100 µs.
 */
final class ScriptWorld {
  /** Where the peer is. */
  static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 7_401);

  private static final InetSocketAddress OURS = new InetSocketAddress("127.0.0.1", 7_400);
  private static final long DELAY_NS = TimeUnit.MICROSECONDS.toNanos(50);

  /** The confirmation of the handshake is asked after by PING; it is over by then. */
  private static final long SET_UP_NS = TimeUnit.SECONDS.toNanos(1);

  private static final int CID_OFFSET = 32;
  private static final int COOKIE_OFFSET = 40;

  /** A packet that left. */
  record Sent(byte[] bytes, InetSocketAddress to, long atNs) {}

  /** One side while the connection is set up; ours lives on. */
  private final class Side implements Wire {
    final InetSocketAddress address;
    final ScriptApplication application = new ScriptApplication();
    final ConnectionConfig config;
    final Node node;
    Connection connection;

    /** Those that it sent, and that have not arrived. */
    final Deque<Sent> sent = new ArrayDeque<>();

    private boolean isWoken;

    Side(InetSocketAddress address, ConnectionConfig config, long seed) {
      this.address = address;
      this.config = config;
      node =
          new Node(
              EndpointConfig.ofLoop(0),
              new LoopResources(1 << 20, 1 << 10, new Random(seed)),
              NodeBudgets.defaults(),
              (buffer, offset, length, ni, to) -> send(buffer, offset, length, to),
              () -> isWoken = true,
              new Random(seed + 1));
    }

    void connect(InetSocketAddress to) {
      adopt(node.connect(config, to, nowNs));
      node.flush(connection, nowNs);
    }

    private void adopt(Connection owned) {
      connection = owned;
      application.connection(node, owned);
      node.attach(owned, this, application);
    }

    private void accept(Connection accepted) {
      adopt(accepted);
      node.arrived(accepted, nowNs);
    }

    private void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
      byte[] bytes = new byte[length];
      buffer.get(offset, bytes);
      sent.add(new Sent(bytes, to, nowNs));
    }

    @Override
    public void transmit(PacketBurst burst, long atNs) {
      for (int i = 0; i < burst.count(); i++) {
        InetSocketAddress to = connection.remote(burst.pathIndex(i));
        send(burst.buffer(i), burst.offset(i), burst.length(i), to);
      }
    }

    @Override
    public boolean hasRoom(int pathIndex) {
      return true;
    }

    void arrive(List<byte[]> packets, InetSocketAddress from) {
      PacketBurst burst = new PacketBurst();
      Connection owner = null;
      for (byte[] bytes : packets) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Connection found = node.route(buffer, 0, bytes.length, from, nowNs);
        if (found != null && !Node.isAttached(found)) {
          accept(found);
        }
        if (found == null) {
          node.onStray(buffer, 0, bytes.length, from, config, nowNs);
        } else {
          owner = found;
          burst.add(buffer, 0, bytes.length, node.arrival(), PacketBurst.TRANSIENT);
        }
      }
      if (owner != null) {
        node.receive(owner, burst, nowNs);
        node.receiveComplete(owner, nowNs);
      }
    }

    void onTime() {
      if (isWoken) {
        isWoken = false;
        node.onWake(nowNs);
      }
      if (node.nextDeadlineNs() <= nowNs) {
        node.onTimeout(nowNs);
      }
    }

    /** DeadlineWheel.NONE for never. */
    long nextNs() {
      return isWoken ? nowNs : node.nextDeadlineNs();
    }
  }

  private final Side ours;
  private final int cid;
  private final long cookie;
  private long nowNs = TimeUnit.SECONDS.toNanos(1);
  private int nextSequence;

  ScriptWorld(List<Line> settings) {
    boolean isInitiator = false;
    ConnectionConfig.Builder config =
        ConnectionConfig.builder()
            .initialNumbers(
                new InitialNumbers(
                    PacketCodec.FIRST,
                    PacketCodec.FIRST,
                    PacketCodec.FIRST,
                    PacketCodec.FIRST,
                    PacketCodec.FIRST & 0xFF_FFFF));
    for (Line line : settings) {
      if (line.verb().equals("ours")) {
        isInitiator = line.rest().equals("initiator");
      } else {
        String[] words = line.rest().split(" +");
        set(config, words[0], words[1]);
      }
    }
    ours = new Side(OURS, config.build(), 1);
    final Side standIn = new Side(PEER, config.build(), 100);
    if (isInitiator) {
      ours.connect(PEER);
    } else {
      standIn.connect(OURS);
    }
    byte[] told = null;
    long endNs = nowNs + SET_UP_NS;
    while (nowNs < endNs) {
      nowNs += DELAY_NS;
      told = told == null && !ours.sent.isEmpty() ? ours.sent.peek().bytes : told;
      carry(standIn, ours);
      carry(ours, standIn);
      ours.onTime();
      standIn.onTime();
    }
    ByteBuffer setUp = ByteBuffer.wrap(told); // our CONNECT or ACCEPT
    cid = setUp.getInt(CID_OFFSET);
    cookie = setUp.getLong(COOKIE_OFFSET);
    if (!ours.connection.isEstablished()) {
      throw new AssertionError("not established");
    }
    ours.application.heard.clear();
  }

  private void carry(Side from, Side to) {
    while (!from.sent.isEmpty() && from.sent.peek().atNs < nowNs) {
      to.arrive(List.of(from.sent.poll().bytes), from.address);
    }
  }

  private static void set(ConnectionConfig.Builder config, String key, String value) {
    switch (key) {
      case "requestWindow" -> config.requestWindowPackets((int) Numbers.number(value));
      case "dataWindow" -> config.dataWindowPackets((int) Numbers.number(value));
      case "datagram" -> config.datagramLengthBytes((int) Numbers.number(value));
      case "credit" -> config.initialCreditBytes((int) Numbers.number(value));
      case "outstanding" -> config.outstandingMax((int) Numbers.number(value));
      case "threshold" -> config.solicitThresholdBytes((int) Numbers.number(value));
      case "messageMax" -> config.messageLengthMax(Numbers.number(value));
      case "ackDelay" -> config.ackDelayNsMax(Numbers.timeNs(value));
      case "idleTimeout" -> config.idleTimeoutNs(Numbers.timeNs(value));
      case "closeTimeout" -> config.closeTimeoutNs(Numbers.timeNs(value));
      case "ordered" -> config.ordered(Boolean.parseBoolean(value));
      case "keepalive" -> config.keepalive(Boolean.parseBoolean(value));
      case "profile" -> config.adpProfile(BuiltInProfiles.byName(value));
      default -> throw new IllegalArgumentException("no setting " + key);
    }
  }

  long nowNs() {
    return nowNs;
  }

  ScriptApplication application() {
    return ours.application;
  }

  long count(CounterId id) {
    return ours.node.counters().value(id);
  }

  /** Packets arrive as one burst. */
  void inject(List<PacketText> packets, InetSocketAddress from) {
    List<byte[]> burst = new ArrayList<>();
    for (PacketText packet : packets) {
      boolean isNumbered = packet.head.name.equals("DATA") || packet.head.name.equals("REQUEST");
      burst.add(PacketCodec.encode(packet, cid, cookie, isNumbered ? nextSequence++ : 0));
    }
    ours.arrive(burst, from);
    ours.onTime();
  }

  /**
   * Packets of a vector arrive as one burst. They name its connection; ours has an id and a cookie
   * of its own, which are put in their place, and the checksum made anew where it was right.
   */
  void injectBytes(List<byte[]> packets) {
    List<byte[]> burst = new ArrayList<>();
    for (byte[] bytes : packets) {
      ByteBuffer packet = ByteBuffer.wrap(bytes.clone());
      int end = bytes.length - Integer.BYTES;
      boolean isRight = PacketCodec.checksum(bytes, end) == packet.getInt(end);
      packet.putInt(4, cid).putLong(8, cookie);
      packet.putInt(end, PacketCodec.checksum(packet.array(), end) ^ (isRight ? 0 : 1));
      burst.add(packet.array());
    }
    ours.arrive(burst, PEER);
    ours.onTime();
  }

  /** Lets time pass until a packet leaves, at most until {@code untilNs}; null when none did. */
  Sent next(long untilNs) {
    while (ours.sent.isEmpty()) {
      long next = ours.nextNs();
      if (next == DeadlineWheel.NONE || next > untilNs) {
        nowNs = Math.max(nowNs, untilNs);
        return null;
      }
      nowNs = Math.max(nowNs, next);
      ours.onTime();
    }
    return ours.sent.poll();
  }

  /** Lets time pass, whatever leaves. */
  void pass(long durationNs) {
    long untilNs = nowNs + durationNs;
    while (ours.nextNs() != DeadlineWheel.NONE && ours.nextNs() <= untilNs) {
      nowNs = Math.max(nowNs, ours.nextNs());
      ours.onTime();
    }
    nowNs = untilNs;
  }
}
