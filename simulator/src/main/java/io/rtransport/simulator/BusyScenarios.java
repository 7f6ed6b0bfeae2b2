package io.rtransport.simulator;

import static io.rtransport.simulator.ScenarioBound.bound;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.window.ProbeBudget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Scenarios of hosts whose work takes time ({@link BusyTurns}), with a load below or above their
 * capacity. Nothing is lost, so every resend is needless.
 */
final class BusyScenarios {
  private static final long MICRO_NS = 1_000;
  private static final long MILLI_NS = 1_000_000;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long DELAY_NS = 10 * MICRO_NS;
  private static final int CONNECTIONS = 1_000;
  private static final int MESSAGE_BYTES = 64;

  /** Time that the server needs to read or send a packet, and time of a turn. */
  private static final long PACKET_NS = 6 * MICRO_NS;

  private static final long TURN_NS = 5 * MICRO_NS;

  /**
   * An echo costs the server two packets read and two sent: request and acknowledgement, answer and
   * acknowledgement.
   */
  private static final double CAPACITY = 1e9 / (4 * PACKET_NS);

  /** The scheduler's slice, which each host loses to other processes, and its average interval. */
  private static final long SLICE_NS = 3 * MILLI_NS;

  private static final long SLICE_EVERY_NS = 200 * MILLI_NS;

  /** Largest share of packets resent without evidence of a loss. */
  private static final double BLIND_MAX = 0.001;

  /** Longest echo one second after the overload, with two lost slices in a row. */
  private static final long RECOVERED_NS = 10 * MILLI_NS;

  private BusyScenarios() {}

  /** Echoes of short messages over many connections between two busy hosts. */
  private static final class Echoes {
    final ScenarioNet net;
    final long startNs;
    final ScenarioNet.Host client;
    final ScenarioNet.Host server;
    final List<ScenarioPeer> peers = new ArrayList<>();
    final List<ArrayDeque<Long>> dueNs = new ArrayList<>();
    private long asked;
    private long answered;
    private long worstNs;

    Echoes(long seed) {
      net = new ScenarioNet(seed, DELAY_NS);
      startNs = net.nowNs;
      client = net.host();
      server = net.host();
      for (int i = 0; i < CONNECTIONS; i++) {
        ScenarioPeer peer = client.connect(server);
        bound(net.run(() -> peer.isEstablished, SECOND_NS), "no connection");
        ArrayDeque<Long> due = new ArrayDeque<>();
        peer.onDelivered = length -> onAnswer(due.poll());
        peers.add(peer);
        dueNs.add(due);
      }
      net.runFor(10 * MILLI_NS);
      for (ScenarioPeer peer : server.accepted) {
        peer.onDelivered = peer::push;
      }
      client.slowDown(PACKET_NS / 2, TURN_NS, true);
      server.slowDown(PACKET_NS, TURN_NS, false);
      slice(client);
      slice(server);
    }

    private void onAnswer(long askedNs) {
      answered++;
      worstNs = Math.max(worstNs, net.nowNs - askedNs);
    }

    private void slice(ScenarioNet.Host host) {
      net.after(
          net.random().nextLong(2 * SLICE_EVERY_NS),
          () -> {
            host.turns.pause(net.nowNs, SLICE_NS);
            slice(host);
          });
    }

    /**
     * Sends echoes at a share of the capacity, evenly spread, each over the next connection.
     * Returns the longest time of an echo that was answered in this period.
     */
    long run(double share, long durationNs) {
      long untilNs = net.nowNs + durationNs;
      worstNs = 0;
      ask(net.nowNs, 1e9 / (CAPACITY * share), 0, untilNs);
      net.runFor(durationNs);
      return worstNs;
    }

    private void ask(long startNs, double gapNs, long k, long untilNs) {
      long atNs = startNs + (long) (k * gapNs);
      if (atNs < untilNs) {
        net.at(
            atNs,
            () -> {
              int i = (int) (asked++ % CONNECTIONS);
              dueNs.get(i).add(atNs);
              client.execute(() -> peers.get(i).push(MESSAGE_BYTES));
              ask(startNs, gapNs, k + 1, untilNs);
            });
      }
    }

    long count(CounterId id) {
      return client.count(id) + server.count(id);
    }

    long sent() {
      return count(CounterId.PACKETS_NUMBERED_SENT);
    }

    long drops() {
      return client.turns.drops() + server.turns.drops();
    }

    /**
     * Returns the probes that the budgets of both loops allow, plus the probes that were needed.
     */
    long probesMax() {
      long ofTime = (net.nowNs - startNs) / ProbeBudget.TOKEN_INTERVAL_NS + 1;
      long ofPackets = sent() / ProbeBudget.PACKETS_PER_TOKEN;
      return 2 * (ProbeBudget.TOKENS_MAX + ofTime) + ofPackets + drops();
    }

    /** Returns the packets resent without evidence of a loss. */
    long blind() {
      return count(CounterId.RETRANSMITS_PROBE) + count(CounterId.RETRANSMITS_TIMEOUT);
    }
  }

  static String busyHost(long seed) {
    StringBuilder figures = new StringBuilder();
    long blind = 0;
    long sent = 0;
    for (double load : new double[] {0.5, 0.9, 1.5}) {
      Echoes echoes = new Echoes(seed);
      long worstNs = echoes.run(load, SECOND_NS);
      echoes.run(0.2, SECOND_NS); // time to recover
      long laterNs = echoes.run(0.2, SECOND_NS / 4);
      boolean isOver = echoes.net.run(() -> echoes.answered == echoes.asked, SECOND_NS);
      double share = (double) echoes.blind() / echoes.sent();
      String figure =
          String.format(
              "%.0f %%: %,d packets, resent without evidence %.3f %% (%,d probes, %,d by timeout), %,d dropped by full sockets; echoes within %,d us, %,d afterwards",
              load * 100,
              echoes.sent(),
              share * 100,
              echoes.count(CounterId.RETRANSMITS_PROBE),
              echoes.count(CounterId.RETRANSMITS_TIMEOUT),
              echoes.drops(),
              worstNs / MICRO_NS,
              laterNs / MICRO_NS);
      bound(isOver, "%s: %d answers are missing", figure, echoes.asked - echoes.answered);
      long probes = echoes.count(CounterId.RETRANSMITS_PROBE);
      bound(probes <= echoes.probesMax(), "%s: of %,d probes allowed", figure, echoes.probesMax());
      bound(laterNs <= RECOVERED_NS, "%s", figure);
      figures.append(figures.isEmpty() ? "" : "; ").append(figure);
      blind += echoes.blind();
      sent += echoes.sent();
    }
    bound(blind <= BLIND_MAX * sent, "%,d of %,d: %s", blind, sent, figures);
    return figures.toString();
  }
}
