package io.rtransport.netty.facade;

import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.ManualNode;
import io.rtransport.netty.port.MemoryPort;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortContext;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The facade's calls in any order, legal or not, at both ends of connections over a network that
 * loses, repeats and reorders as the input says: endpoints, listeners, connections, futures and
 * channels are the product's, on event loops whose clock is the input's.
 *
 * <p>Each future ends, and ends well only if the other side's application said so; each callback
 * comes at most once, onConnect first and onClose last; a payload arrives as it was sent; what a
 * caller gets wrong is an exception that names what is valid; no honest peer is taken for a liar;
 * and after both endpoints have shut down nothing is held any more.
 */
public final class FacadeOrderFuzz {
  private static final int STEPS_MAX = 100;
  private static final int PORTS_MAX = 8;

  /** What an event loop has scheduled beside its connections' deadlines happens so late at most. */
  private static final long GRAIN_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /**
   * Rounds of 50 ms at the most, where packets go on: by delay a path that had none before takes
   * two of them a round, and a message is 64 KiB.
   */
  private static final int ROUNDS_MAX = 2_000;

  private static final long END_NS = TimeUnit.SECONDS.toNanos(30);
  private static final InetSocketAddress SERVER = new InetSocketAddress("127.0.0.1", 7_400);

  /** A packet on its way. */
  private record Flying(byte[] bytes, InetSocketAddress from, InetSocketAddress to) {}

  private final FuzzInput input;
  private final ManualNode[] nodes = {new ManualNode(1, 1), new ManualNode(2, 2)};
  private final RtEndpoint[] endpoints = new RtEndpoint[2];
  private final FacadeCaller[] callers = new FacadeCaller[2];
  private final Map<InetSocketAddress, MemoryPort> ports = new HashMap<>();
  private final List<Flying> flying = new ArrayList<>();
  private int nextPort = 9_000;
  private long nowNs = TimeUnit.SECONDS.toNanos(1);

  private FacadeOrderFuzz(FuzzInput input) {
    this.input = input;
    boolean isOrdered = input.flag();
    for (int i = 0; i < 2; i++) {
      endpoints[i] =
          new RtEndpointBuilder()
              .ports(nodes[i].loop(), this::open)
              .handshake(config(isOrdered))
              .open();
      callers[i] = new FacadeCaller(endpoints[i], SERVER, i);
    }
    callers[0].faces(callers[1]);
    callers[1].faces(callers[0]);
  }

  private static ConnectionConfig config(boolean isOrdered) {
    return ConnectionConfig.builder()
        .requestWindowPackets(64)
        .dataWindowPackets(64)
        .outstandingMax(32)
        .datagramLengthBytes(576)
        .initialCreditBytes(4_096)
        .solicitThresholdBytes(1_024)
        .headerLengthMax(64)
        .messageLengthMax(1 << 16)
        .ordered(isOrdered)
        .closeTimeoutNs(TimeUnit.SECONDS.toNanos(1))
        .build();
  }

  /** Ordered or not, then steps. */
  public static void fuzzerTestOneInput(byte[] data) {
    new FacadeOrderFuzz(new FuzzInput(data)).run();
  }

  private MemoryPort open(
      PortContext context, PortConfig config, InetSocketAddress local, InetSocketAddress remote)
      throws BindException {
    InetSocketAddress at = remote == null ? local : new InetSocketAddress("127.0.0.1", nextPort++);
    MemoryPort there = ports.get(at);
    if (there != null && !there.isClosed()) {
      throw new BindException("in use: " + at);
    }
    MemoryPort.Wire wire =
        new MemoryPort.Wire() {
          @Override
          public void send(ByteBuffer buffer, int offset, int length, InetSocketAddress to) {
            byte[] bytes = new byte[length];
            buffer.get(offset, bytes);
            flying.add(new Flying(bytes, at, to));
          }

          @Override
          public boolean hasRoom() {
            return true;
          }
        };
    MemoryPort port = new MemoryPort(context, wire, at, remote);
    ports.put(at, port);
    return port;
  }

  private void run() {
    callers[0].listen();
    callers[1].connect();
    settle(8);
    for (int i = 0; i < STEPS_MAX && input.hasMore(); i++) {
      int who = input.below(2);
      switch (input.below(8)) {
        case 0, 1, 2, 3 -> {
          callers[who].act(input, nextPort < 9_000 + PORTS_MAX);
          nodes[who].run(nowNs);
        }
        case 4, 5 -> carry();
        case 6 -> pass((long) input.u8() * 20_000);
        default -> pass((long) input.u8() * 10_000_000);
      }
    }
    end();
  }

  /** Some of what is on its way arrives, is lost, comes twice, or waits for others. */
  private void carry() {
    for (int count = 1 + input.below(12); count > 0 && !flying.isEmpty(); count--) {
      Flying first = flying.remove(0);
      switch (input.below(8)) {
        case 0 -> {
          // lost
        }
        case 1 -> {
          deliver(first);
          deliver(first);
        }
        case 2 -> flying.add(first);
        default -> deliver(first);
      }
    }
  }

  private void deliver(Flying packet) {
    MemoryPort port = ports.get(packet.to);
    if (port != null && !port.isClosed()) {
      PacketBurst burst = new PacketBurst();
      burst.add(ByteBuffer.wrap(packet.bytes), 0, packet.bytes.length, 0, PacketBurst.TRANSIENT);
      port.receive(burst, i -> packet.from);
      runAll();
    }
  }

  private void runAll() {
    for (ManualNode node : nodes) {
      node.run(nowNs);
    }
  }

  private void pass(long durationNs) {
    long untilNs = nowNs + durationNs;
    while (nowNs < untilNs) {
      long nextNs = Math.min(nodes[0].nextDeadlineNs(), nodes[1].nextDeadlineNs());
      nowNs = Math.min(untilNs, Math.min(nowNs + GRAIN_NS, Math.max(nowNs + 1, nextNs)));
      runAll();
    }
  }

  /**
   * The network is healed, and both applications do all that they owe, until nobody has sent
   * anything for {@code quietRounds}.
   */
  private void settle(int quietRounds) {
    int quiet = 0;
    for (int i = 0; i < ROUNDS_MAX && quiet < quietRounds && !(i > 1 && isSettled()); i++) {
      quiet = flying.isEmpty() ? quiet + 1 : 0;
      while (!flying.isEmpty()) {
        deliver(flying.remove(0));
      }
      pass(TimeUnit.MILLISECONDS.toNanos(50));
      for (FacadeCaller caller : callers) {
        caller.settle();
      }
      runAll();
    }
  }

  private boolean isSettled() {
    return flying.isEmpty() && callers[0].isSettled() && callers[1].isSettled();
  }

  private void end() {
    settle(40);
    for (FacadeCaller caller : callers) {
      caller.checkSettled();
    }
    for (FacadeCaller caller : callers) {
      caller.shutDown();
    }
    settle(40);
    pass(END_NS);
    for (int i = 0; i < 2; i++) {
      callers[i].checkEnd();
      FacadeCaller.require(
          endpoints[i].pendingCount() == 0, "futures left: " + endpoints[i].pendingCount());
      String left = nodes[i].left();
      FacadeCaller.require(left.isEmpty(), "left: " + left);
      nodes[i].close();
    }
  }

  /** What no honest peer causes. */
  static boolean isOfALiar(CloseReason reason) {
    return reason != null && reason.code() == CloseCode.PROTOCOL_ERROR.code();
  }
}
