package io.rtransport.core.window;

import io.rtransport.core.window.RxWindow.Verdict;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Decides when received packets are acknowledged, by which packet, and with which content.
 *
 * <p><b>When.</b> Each packet makes an acknowledgement due at the latest one ack delay later. It is
 * due at the end of the read batch if 128 KB or a quarter of a window is unacknowledged. It is also
 * due then if a packet asked for it. A new or filled hole, a duplicate, or a packet above the
 * window shows that the peer lacks information. It makes an acknowledgement due at once. But these
 * acknowledgements keep a minimum distance from the previous one, so that a peer cannot provoke a
 * stream of them. A packet is alone if it comes at least an ack delay after the previous one. After
 * {@link #VAIN_WAITS} waits in a row without a packet to carry the acknowledgement, a packet that
 * is alone is acknowledged at once. Another wait would only cost a wake-up.
 *
 * <p><b>How.</b> Every numbered packet that leaves carries both bases. If the bases are all that is
 * new, nothing is owed after it. So an echo needs no ACK packets. If there is more, or if the peer
 * is owed a round-trip sample, the packet carries an ACK block. What is still owed at the due time
 * leaves in an ACK packet.
 *
 * <p><b>Content.</b> Each window reports one run of up to 16 words. The run begins at the first
 * word that changed since it was last sent, or that concerns a duplicate. If no word changed, it
 * begins at the base. Changed words that do not fit stay owed.
 */
final class AckScheduler {
  /**
   * One-way data: bytes for which about one ACK is sent. An ACK costs as much as ten segments of a
   * GSO send.
   */
  static final int OWED_BYTES_MAX = 128 << 10;

  /** Holes: minimum time between acknowledgements, apart from those due anyway. */
  static final long HOLE_SPACING_NS = 25_000;

  /** Duplicates and packets above the window: minimum time between acknowledgements, likewise. */
  static final long REFUSED_SPACING_NS = 200_000;

  /** Minimum time between round-trip samples in numbered packets. */
  static final long SAMPLE_INTERVAL_NS_MIN = 500_000;

  /**
   * Largest number of words per window in a block inside a numbered packet. Records need room too.
   */
  static final int BLOCK_WORDS_MAX = 4;

  /** Maximum time without an acknowledgement on a path of several by which packets come. */
  static final long ARRIVAL_INTERVAL_NS = 2_000_000;

  /** Number of vain waits after which a packet that comes alone is acknowledged at once. */
  static final int VAIN_WAITS = 8;

  private final RxWindow requests;
  private final RxWindow data;
  private final PathReports reports = new PathReports();
  private final AckFlyweight ack;
  private final long ackDelayMaxNs;
  private final int owedPacketsMax;

  private int owedPackets;
  private int owedBytes;
  private boolean isOwed;
  private boolean isOwnRequest;
  private boolean isOwnData;
  private long dueNs = Long.MAX_VALUE;
  private long lastSentNs;
  private boolean wasSent;

  /** Full waits in a row in which no packet left that could have carried the acknowledgement. */
  private int vainWaits;

  private long receivedNs;

  // Several paths: those by which packets came since an acknowledgement left there.
  private boolean isSeveral;
  private int arrivals;
  private long sampleDueNs;
  private boolean hasSampled;
  private long lastSampleNs;
  private boolean isAnotherWanted;
  private int lastOther = -1;

  /**
   * Creates the scheduler of one connection.
   *
   * @param ack the event loop's flyweight for writing
   */
  AckScheduler(RxWindow requests, RxWindow data, long ackDelayMaxNs, AckFlyweight ack) {
    this.ack = ack;
    this.requests = requests;
    this.data = data;
    this.ackDelayMaxNs = ackDelayMaxNs;
    this.owedPacketsMax = Math.min(requests.capacity(), data.capacity()) >> 2;
  }

  /** Handles a received numbered packet of {@code length} bytes. */
  void onPacket(
      WindowClass windowClass,
      Verdict verdict,
      boolean hadGap,
      int length,
      boolean isAckRequested,
      long nowNs) {
    isOwed = true;
    owedPackets++;
    owedBytes += length;
    boolean isAlone = nowNs - receivedNs >= ackDelayMaxNs;
    receivedNs = nowNs;
    dueBy(nowNs + ackDelayMaxNs);
    if (verdict == Verdict.NEW) {
      boolean isHole = hadGap || window(windowClass).hasGap();
      boolean isWaitVain = isAlone && vainWaits >= VAIN_WAITS;
      if (isAckRequested
          || owedBytes >= OWED_BYTES_MAX
          || owedPackets >= owedPacketsMax
          || isWaitVain) {
        dueBy(nowNs);
      } else if (isHole) {
        dueBy(spaced(HOLE_SPACING_NS, nowNs));
      }
      return;
    }
    if (verdict == Verdict.OUT_OF_WINDOW) {
      isOwnRequest |= windowClass == WindowClass.REQUEST;
      isOwnData |= windowClass == WindowClass.DATA;
    }
    dueBy(spaced(isAckRequested ? HOLE_SPACING_NS : REFUSED_SPACING_NS, nowNs));
  }

  /** Makes an acknowledgement due now, even if the peer sent nothing. This confirms a handshake. */
  void force(long nowNs) {
    isOwed = true;
    dueBy(nowNs);
  }

  /** Makes acknowledgements leave on each path by which packets came. */
  void followSeveralPaths() {
    isSeveral = true;
  }

  /**
   * Records the path of ours by which a numbered packet came.
   *
   * @param pathIndex −1 for none
   * @param isAskedAgain whether the peer sent it again and asks for an acknowledgement. The last
   *     one may then be lost, and the path that carried it may no longer carry anything
   */
  void onArrival(int pathIndex, boolean isAskedAgain, long nowNs) {
    if (isSeveral && pathIndex >= 0) {
      if (arrivals == 0) {
        sampleDueNs = hasSampled ? Math.max(nowNs, lastSampleNs + ARRIVAL_INTERVAL_NS) : nowNs;
      }
      arrivals |= 1 << pathIndex;
      isAnotherWanted |= isAskedAgain;
    }
  }

  /**
   * Returns one bit for each path on which an ACK packet leaves now: all by which packets came
   * since the last one. So each path of the peer gets round-trip samples, and the faster ones are
   * not acknowledged later because of a slow one.
   *
   * @param usableMask the paths that take packets
   * @param best one of them
   */
  int paths(int usableMask, int best) {
    int mask = arrivals & usableMask;
    if (isAnotherWanted) {
      int above = usableMask & -1 << lastOther + 1;
      lastOther = Integer.numberOfTrailingZeros(above != 0 ? above : usableMask);
      mask |= 1 << lastOther;
    }
    return mask == 0 ? 1 << best : mask;
  }

  /** Records that a numbered packet with an ACK block left on a path. */
  void onBlockSent(int pathIndex, long nowNs) {
    if (isSeveral) {
      arrivals &= ~(1 << pathIndex);
      hasSampled = true;
      lastSampleNs = nowNs;
    }
  }

  /** Records that the peer's path {@code pathId} carried a numbered packet. */
  void onPath(int pathId, int sequence, boolean isDuplicate, long nowNs) {
    reports.onPacket(pathId, sequence, isDuplicate, nowNs);
  }

  private RxWindow window(WindowClass windowClass) {
    return windowClass == WindowClass.REQUEST ? requests : data;
  }

  private void dueBy(long timeNs) {
    dueNs = Math.min(dueNs, timeNs);
  }

  private long spaced(long spacingNs, long nowNs) {
    return wasSent ? Math.max(nowNs, lastSentNs + spacingNs) : nowNs;
  }

  /** Returns whether an ACK packet is due. */
  boolean isDue(long nowNs) {
    return isOwed && nowNs >= dueNs || arrivals != 0 && nowNs >= sampleDueNs;
  }

  /** Returns whether received packets have not been acknowledged at all. */
  boolean isOwed() {
    return isOwed;
  }

  /** Returns when an ACK packet is due; {@link Long#MAX_VALUE} if nothing is owed. */
  long deadlineNs() {
    long owedNs = isOwed ? dueNs : Long.MAX_VALUE;
    return arrivals != 0 ? Math.min(owedNs, sampleDueNs) : owedNs;
  }

  /** Returns whether a numbered packet that leaves now should carry an ACK block. */
  boolean isBlockWanted(long roundTripNs, long nowNs) {
    return hasMoreThanBases()
        || reports.isSampleOwed(Math.max(SAMPLE_INTERVAL_NS_MIN, roundTripNs), nowNs);
  }

  private boolean hasMoreThanBases() {
    return requests.hasChanges() || data.hasChanges() || isOwnRequest || isOwnData;
  }

  /** Handles the sending of a numbered packet, which carries both bases. */
  void onBasesSent(long nowNs) {
    if (nowNs - receivedNs < ackDelayMaxNs) {
      vainWaits = 0;
    }
    if (isOwed && !hasMoreThanBases()) {
      settle(nowNs);
    }
  }

  /** Handles the sending of an ACK packet for what is owed. */
  void onOwnPacket(long nowNs) {
    if (nowNs - receivedNs >= ackDelayMaxNs) {
      vainWaits = Math.min(vainWaits + 1, VAIN_WAITS);
    }
    arrivals = 0;
    isAnotherWanted = false;
    hasSampled = true;
    lastSampleNs = nowNs;
  }

  private void settle(long nowNs) {
    isOwed = false;
    owedPackets = 0;
    owedBytes = 0;
    dueNs = Long.MAX_VALUE;
    lastSentNs = nowNs;
    wasSent = true;
  }

  /**
   * Returns the bytes that {@link #write} writes with the same arguments, if nothing is received in
   * between.
   */
  int measure(int wordsMax, long recentNs, long nowNs) {
    return AckFlyweight.bodyLength(
        wordCount(requests, wordsMax),
        wordCount(data, wordsMax),
        reports.reportCount(recentNs, nowNs));
  }

  /**
   * Writes the body of an acknowledgement and marks its content as sent.
   *
   * @param wordsMax the most words of each window, 0..16
   * @param recentNs two round trips; paths that carried a packet within this time are reported
   * @return its length in bytes
   */
  int write(ByteBuffer to, int offset, int wordsMax, long creditLimit, long recentNs, long nowNs) {
    int requestWords = wordCount(requests, wordsMax);
    int requestOffset = wordOffset(requests, wordsMax);
    int dataWords = wordCount(data, wordsMax);
    int dataOffset = wordOffset(data, wordsMax);
    ack.wrap(to, offset)
        .requestBase(requests.base())
        .dataBase(data.base())
        .flags(
            (isOwnRequest ? AckFlyweight.FLAG_OWN_REQUEST : 0)
                | (isOwnData ? AckFlyweight.FLAG_OWN_DATA : 0))
        .requestWordCount(requestWords)
        .dataWordCount(dataWords)
        .pathCount(reports.reportCount(recentNs, nowNs))
        .requestWordOffset(requestOffset)
        .dataWordOffset(dataOffset)
        .creditLimit(creditLimit);
    for (int i = 0; i < requestWords; i++) {
      ack.requestWord(i, requests.takeWord(requestOffset + i));
    }
    for (int i = 0; i < dataWords; i++) {
      ack.dataWord(i, data.takeWord(dataOffset + i));
    }
    reports.write(ack, recentNs, nowNs);
    isOwnRequest = false;
    isOwnData = false;
    if (hasMoreThanBases()) {
      // More words changed than fit. The next acknowledgement continues with them.
      lastSentNs = nowNs;
      wasSent = true;
    } else {
      settle(nowNs);
    }
    return ack.bodyLength();
  }

  private static int wordOffset(RxWindow window, int wordsMax) {
    return window.wordCount() <= wordsMax ? 0 : window.firstWordOffset();
  }

  private static int wordCount(RxWindow window, int wordsMax) {
    return Math.min(wordsMax, window.wordCount() - wordOffset(window, wordsMax));
  }
}
