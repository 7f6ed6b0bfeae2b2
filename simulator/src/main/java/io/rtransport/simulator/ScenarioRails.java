package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Two hosts of a {@link ScenarioNet} with rails between them, and what happens to the packets of
 * each rail. The interface of the left host says by which rail a packet goes.
 */
final class ScenarioRails implements SimLink.Fate {
  private static final long SECOND = 1_000_000_000L;

  /** Datagrams that wait for a rail of limited rate. */
  private static final int QUEUE_MAX = 100;

  /** One rail. Its fields may change at any time. */
  static final class Rail {
    long delayNs;

    /** 0 for no limit. */
    long bytesPerSecond;

    /** Bytes of the longest datagram that it carries. Longer ones vanish without notice. */
    int lengthMax = Integer.MAX_VALUE;

    double loss;
    double duplicate;
    double reorder;

    /** It holds its packets until then. */
    long heldUntilNs;

    /** By sender: the left host, the right one. */
    private final boolean[] isDark = new boolean[2];

    private final long[] freeNs = new long[2];

    Rail(long delayNs) {
      this.delayNs = delayNs;
    }

    /**
     * Lets it lose everything, or nothing more.
     *
     * @param ways bit 0: what the left host sends; bit 1: what the right one sends
     */
    void dark(int ways, boolean isDarkNow) {
      for (int from = 0; from < 2; from++) {
        isDark[from] = (ways >>> from & 1) != 0 ? isDarkNow : isDark[from];
      }
    }
  }

  final ScenarioNet net;
  final ScenarioNet.Host left;
  final ScenarioNet.Host right;
  final List<Rail> rails = new ArrayList<>();

  ScenarioRails(ScenarioNet net) {
    this.net = net;
    left = net.host();
    right = net.host();
    net.fate = this;
  }

  /** Gives the left host {@code count} interfaces, and the right one as many, or only one. */
  void interfaces(int count, boolean hasRightOne) {
    left.interfaces(count);
    if (!hasRightOne) {
      right.interfaces(count);
    }
  }

  Rail add(long delayNs) {
    Rail rail = new Rail(delayNs);
    rails.add(rail);
    return rail;
  }

  /** Lets a rail be dark for a time. */
  void darkFor(Rail rail, int ways, long atNs, long forNs) {
    net.at(atNs, () -> rail.dark(ways, true));
    net.at(atNs + forNs, () -> rail.dark(ways, false));
  }

  @Override
  public long[] delaysNs(Datagram datagram) {
    RandomGenerator random = net.random();
    int from = left.hasSent(datagram) ? 0 : 1;
    int number = left.interfaceAt(from == 0 ? datagram.source : datagram.destination);
    if (number < 0) {
      return ScenarioNet.LOST;
    }
    Rail rail = rails.get(number);
    boolean isLost = random.nextDouble() < rail.loss;
    boolean isTwice = random.nextDouble() < rail.duplicate;
    long laterNs = random.nextDouble() < rail.reorder ? random.nextLong(2 * rail.delayNs) : 0;
    if (isLost || rail.isDark[from] || datagram.length > rail.lengthMax) {
      return ScenarioNet.LOST;
    }
    long delayNs = rail.delayNs + laterNs + Math.max(0, rail.heldUntilNs - net.nowNs);
    if (rail.bytesPerSecond > 0) {
      long packetNs = datagram.length * SECOND / rail.bytesPerSecond;
      long beginNs = Math.max(net.nowNs, rail.freeNs[from]);
      if (beginNs - net.nowNs > QUEUE_MAX * packetNs) {
        return ScenarioNet.LOST;
      }
      rail.freeNs[from] = beginNs + packetNs;
      delayNs += beginNs + packetNs - net.nowNs;
    }
    return isTwice ? new long[] {delayNs, delayNs + rail.delayNs} : new long[] {delayNs};
  }
}
