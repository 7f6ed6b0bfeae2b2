package io.rtransport.core.window;

import io.rtransport.core.window.RxWindow.Verdict;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Decides when something received is acknowledged, how, and what an acknowledgement says.
 *
 * <p><b>When.</b> Each packet makes an acknowledgement due no later than the ack delay after it. It
 * is due at the end of the read batch when 128 KB, or a quarter of a window, is owed, or when a
 * packet asked for it. News that the peer evidently lacks is due at once too: a hole appeared or
 * was filled, a duplicate came, or a packet above the window. Such acknowledgements keep a distance
 * from the one before, so that a peer cannot provoke a stream of them. A packet that comes alone,
 * an ack delay after the one before, may be acknowledged at once. That is so after {@link
 * #VAIN_WAITS} waits in a row that brought no packet to ride on: the wait would only cost a
 * wake-up.
 *
 * <p><b>How.</b> Every numbered packet that leaves says both bases. If that is everything, nothing
 * is owed then, so an echo needs no ACK packets. If there is more, or the peer is owed a round-trip
 * sample, the packet carries an ACK block. News that is still owed when it is due goes out as an
 * ACK packet.
 *
 * <p><b>What.</b> First the words that changed since they were last told, duplicates included. Then
 * the words from the base up, one run of up to 16 words a window. The rest stays owed.
 */
final class AckScheduler {
  /** An ACK costs as much as ten segments of a GSO send: about one for so much one-way data. */
  static final int OWED_BYTES_MAX = 128 << 10;

  /** Holes: at most one acknowledgement so often beyond those that are due anyway. */
  static final long HOLE_SPACING_NS = 25_000;

  /** Duplicates, packets above the window: as above. */
  static final long REFUSED_SPACING_NS = 200_000;

  /** Between round-trip samples that ride in numbered packets, at the least. */
  static final long SAMPLE_INTERVAL_NS_MIN = 500_000;

  /**
   * Limit of the words of each window in a block inside a numbered packet: records need room too.
   */
  static final int BLOCK_WORDS_MAX = 4;

  /** After so many waits in vain a packet that comes alone is acknowledged at once. */
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

  /**
   * @param ack the event loop's to write with
   */
  AckScheduler(RxWindow requests, RxWindow data, long ackDelayMaxNs, AckFlyweight ack) {
    this.ack = ack;
    this.requests = requests;
    this.data = data;
    this.ackDelayMaxNs = ackDelayMaxNs;
    this.owedPacketsMax = Math.min(requests.capacity(), data.capacity()) >> 2;
  }

  /** Notes that a numbered packet of {@code length} bytes came in. */
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

  /**
   * Notes that the peer is to hear from us at once, whether or not it sent anything: that confirms
   * a handshake.
   */
  void force(long nowNs) {
    isOwed = true;
    dueBy(nowNs);
  }

  /** Notes that the peer's path {@code pathId} carried a numbered packet. */
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
    return isOwed && nowNs >= dueNs;
  }

  /** Returns whether something received has not been acknowledged at all. */
  boolean isOwed() {
    return isOwed;
  }

  /** Returns when an ACK packet is due; {@link Long#MAX_VALUE}: nothing is owed. */
  long deadlineNs() {
    return isOwed ? dueNs : Long.MAX_VALUE;
  }

  /** Returns whether a numbered packet that leaves now should carry an ACK block. */
  boolean isBlockWanted(long roundTripNs, long nowNs) {
    return hasMoreThanBases()
        || reports.isSampleOwed(Math.max(SAMPLE_INTERVAL_NS_MIN, roundTripNs), nowNs);
  }

  private boolean hasMoreThanBases() {
    return requests.hasChanges() || data.hasChanges() || isOwnRequest || isOwnData;
  }

  /** Notes that a numbered packet left, and with it both bases. */
  void onBasesSent(long nowNs) {
    if (nowNs - receivedNs < ackDelayMaxNs) {
      vainWaits = 0;
    }
    if (isOwed && !hasMoreThanBases()) {
      settle(nowNs);
    }
  }

  /** Notes that what is owed leaves in a packet of its own. */
  void onOwnPacket(long nowNs) {
    if (nowNs - receivedNs >= ackDelayMaxNs) {
      vainWaits = Math.min(vainWaits + 1, VAIN_WAITS);
    }
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
   * Bytes that {@link #write} with the same arguments writes, as long as nothing is received
   * between.
   */
  int measure(int wordsMax, long recentNs, long nowNs) {
    return AckFlyweight.bodyLength(
        wordCount(requests, wordsMax),
        wordCount(data, wordsMax),
        reports.reportCount(recentNs, nowNs));
  }

  /**
   * Writes an acknowledgement's body, and takes what it says as said.
   *
   * @param wordsMax words of each window, 0..16
   * @param recentNs two round trips: paths heard from in them are reported
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
      // More words changed than fit: the next acknowledgement goes on with them.
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
