package io.rtransport.loadgen.impair;

import java.util.SplittableRandom;

/**
 * Decides the fate of each datagram in one direction. The same seed and the same arrivals give the
 * same fates. Delay and jitter keep the order. Only a reordered datagram lets later ones pass. Each
 * impairment draws its own number for every datagram, so a changed setting does not change the
 * others. Knows no clock. Not thread-safe.
 */
public final class LinkModel {
  /** Counts so far, in datagrams. */
  public static final class Counts {
    long arrived;
    long lost;
    long queueDropped;
    long duplicated;
    long corrupted;
    long reordered;

    /** Returns the arrived datagrams. */
    public long arrived() {
      return arrived;
    }

    /** Returns the datagrams dropped by chance. */
    public long lost() {
      return lost;
    }

    /** Returns the datagrams dropped because the queue of the limited link was full. */
    public long queueDropped() {
      return queueDropped;
    }

    /** Returns the datagrams sent twice. */
    public long duplicated() {
      return duplicated;
    }

    /** Returns the datagrams with a flipped bit. */
    public long corrupted() {
      return corrupted;
    }

    /** Returns the datagrams delayed so that others pass. */
    public long reordered() {
      return reordered;
    }
  }

  private static final int BITS_A_BYTE = 8;
  private static final double SECOND_NS = 1e9;

  private final Impairment impairment;
  private final SplittableRandom lossRandom;
  private final SplittableRandom jitterRandom;
  private final SplittableRandom reorderRandom;
  private final SplittableRandom duplicateRandom;
  private final SplittableRandom corruptRandom;
  private final Counts counts = new Counts();

  /** Time when each datagram in the queue will have been sent, oldest first. */
  private final long[] queuedUntilNs = new long[Impairment.QUEUE_DATAGRAMS];

  private int queueHead;
  private int queued;
  private long linkFreeNs = Long.MIN_VALUE;
  private long lastDueNs = Long.MIN_VALUE;
  private int copies;
  private long dueNs;
  private long corruptBit;

  /** Creates a link with its own randomness. */
  public LinkModel(Impairment impairment, long seed) {
    this.impairment = impairment;
    SplittableRandom root = new SplittableRandom(seed);
    lossRandom = root.split();
    jitterRandom = root.split();
    reorderRandom = root.split();
    duplicateRandom = root.split();
    corruptRandom = root.split();
  }

  /**
   * Decides about an arriving datagram.
   *
   * @return copies to deliver: 0, 1 or 2; the other accessors are about this datagram
   */
  public int onDatagram(int lengthBytes, long nowNs) {
    counts.arrived++;
    boolean isLost = lossRandom.nextDouble() < impairment.loss();
    long jitterNs =
        impairment.jitterNs() == 0 ? 0 : jitterRandom.nextLong(impairment.jitterNs() + 1);
    boolean isReordered = reorderRandom.nextDouble() < impairment.reorder();
    boolean isDuplicated = duplicateRandom.nextDouble() < impairment.duplicate();
    double corruption = corruptRandom.nextDouble();
    long bit = corruptRandom.nextLong(Math.max(1L, (long) lengthBytes * BITS_A_BYTE));
    copies = 0;
    if (isLost) {
      counts.lost++;
      return 0;
    }
    long sentNs = transmit(lengthBytes, nowNs);
    if (sentNs == Long.MIN_VALUE) {
      counts.queueDropped++;
      return 0;
    }
    dueNs = Math.max(sentNs + impairment.delayNs() + jitterNs, lastDueNs);
    if (isReordered) {
      counts.reordered++;
      dueNs += Impairment.REORDER_HOLD_NS;
    } else {
      lastDueNs = dueNs;
    }
    corruptBit = -1;
    if (corruption < impairment.corrupt()) {
      counts.corrupted++;
      corruptBit = bit;
    }
    copies = 1;
    if (isDuplicated) {
      counts.duplicated++;
      copies = 2;
    }
    return copies;
  }

  private long transmit(int lengthBytes, long nowNs) {
    if (impairment.bandwidthBitsPerSecond() == 0) {
      return nowNs;
    }
    while (queued > 0 && queuedUntilNs[queueHead] <= nowNs) {
      queueHead = (queueHead + 1) % queuedUntilNs.length;
      queued--;
    }
    if (queued == queuedUntilNs.length) {
      return Long.MIN_VALUE;
    }
    double bits = (double) lengthBytes * BITS_A_BYTE;
    long transmissionNs = (long) (bits * SECOND_NS / impairment.bandwidthBitsPerSecond());
    linkFreeNs = Math.max(linkFreeNs, nowNs) + transmissionNs;
    queuedUntilNs[(queueHead + queued++) % queuedUntilNs.length] = linkFreeNs;
    return linkFreeNs;
  }

  /** Returns when the datagram leaves the link. */
  public long dueNs() {
    return dueNs;
  }

  /** Returns the index of its flipped bit, or −1. */
  public long corruptBit() {
    return corruptBit;
  }

  /** Returns the counts so far. */
  public Counts counts() {
    return counts;
  }
}
