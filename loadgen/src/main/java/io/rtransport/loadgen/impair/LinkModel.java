package io.rtransport.loadgen.impair;

import java.util.SplittableRandom;

/**
 * Decides what becomes of each datagram in one direction: the same seed and the same arrivals give
 * the same fates. Delay and jitter keep the order; only a reordered datagram lets those behind it
 * pass. Each impairment draws its own number for every datagram, so that a setting changed does not
 * change what the others do. Knows no clock. Not thread-safe.
 */
public final class LinkModel {
  /** What has been done so far, in datagrams. */
  public static final class Counts {
    long arrived;
    long lost;
    long queueDropped;
    long duplicated;
    long corrupted;
    long reordered;

    /** Came in. */
    public long arrived() {
      return arrived;
    }

    /** Dropped by chance. */
    public long lost() {
      return lost;
    }

    /** Dropped because the queue of the limited link was full. */
    public long queueDropped() {
      return queueDropped;
    }

    /** Sent twice. */
    public long duplicated() {
      return duplicated;
    }

    /** With a bit flipped. */
    public long corrupted() {
      return corrupted;
    }

    /** Held back so that others pass. */
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

  /** When each datagram in the queue will have been sent, oldest first. */
  private final long[] queuedUntilNs = new long[Impairment.QUEUE_DATAGRAMS];

  private int queueHead;
  private int queued;
  private long linkFreeNs = Long.MIN_VALUE;
  private long lastDueNs = Long.MIN_VALUE;
  private int copies;
  private long dueNs;
  private long corruptBit;

  /** A link with its own randomness. */
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
   * A datagram arrives.
   *
   * @return copies to deliver: 0, 1 or 2; the other questions are about this datagram
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

  /** When the datagram comes out at the other end. */
  public long dueNs() {
    return dueNs;
  }

  /** Which of its bits is flipped, or −1. */
  public long corruptBit() {
    return corruptBit;
  }

  /** What has been done so far. */
  public Counts counts() {
    return counts;
  }
}
