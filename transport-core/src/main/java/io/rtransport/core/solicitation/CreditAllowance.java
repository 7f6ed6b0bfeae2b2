package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;

/**
 * The receiver's side of unsolicited credit: bytes that the peer has charged, bytes that the
 * application has taken since, and the limit that the peer is told.
 *
 * <p>{@code limit = returned + allowance}. The allowance is how many bytes the peer may have
 * untaken here and on their way. It starts at the initial credit. It doubles, up to 2 MiB and as
 * far as the node's {@link CreditPool} gives, when the credit holds the peer back and not the
 * application. There are two signs of that:
 *
 * <ul>
 *   <li>The peer has spent all but half an allowance of the told limit, and the application takes.
 *       This counts once each time that the limit is told.
 *   <li>The application took more than half an allowance within one round trip. A full pipe shows
 *       this even if each message is taken and told as soon as it arrives. A round trip is from a
 *       telling to its acknowledgement.
 * </ul>
 *
 * <p>When the pool is short, a connection above its share gives some back: its limit then rises by
 * less than was taken. The limit itself never falls.
 */
final class CreditAllowance {
  private final long initialBytes;
  private final long bytesMax;
  private final long bytesMost;
  private final PathNeed need = new PathNeed();
  private final CreditPool pool;
  private long allowanceBytes;
  private long chargedBytes;
  private long returnedBytes;
  private long toldBytes;
  private boolean isSharing;
  private boolean hasGrown;
  private boolean isRoundOpen;
  private boolean isRoundOver;
  private int roundPsn;
  private long roundReturnedBytes;

  CreditAllowance(long initialBytes, CreditPool pool) {
    this(initialBytes, Limits.CREDIT_BYTES_MAX, pool);
  }

  /**
   * @param bytesMost bytes that the peer may have untaken and on their way on a long path; beyond 2
   *     MiB the allowance follows bandwidth × delay
   */
  CreditAllowance(long initialBytes, long bytesMost, CreditPool pool) {
    this.initialBytes = initialBytes;
    this.pool = pool;
    bytesMax = Math.max(initialBytes, Limits.CREDIT_BYTES_MAX);
    this.bytesMost = Math.max(bytesMax, bytesMost);
    allowanceBytes = initialBytes;
    toldBytes = initialBytes;
  }

  /**
   * Charges {@code bytes}, which the peer has spent. Returns false when it had not so much credit.
   */
  boolean charge(long bytes) {
    chargedBytes += bytes;
    return chargedBytes <= returnedBytes + allowanceBytes;
  }

  /** Gives back {@code bytes}: the cost of what the application has taken. */
  void giveBack(long bytes) {
    long usedBytes = chargedBytes - returnedBytes;
    assert bytes <= usedBytes : "gave back " + bytes + " of " + usedBytes + " B charged";
    returnedBytes += bytes;
    if (allowanceBytes > initialBytes && pool.isShort() && letGo(bytes)) {
      return;
    }
    if (!hasGrown) {
      growIfHoldingPeerBack();
    }
  }

  private void growIfHoldingPeerBack() {
    if (isHoldingPeerBack()) {
      hasGrown = true;
      growTo(bytesMax);
    }
  }

  private void growTo(long mostBytes) {
    if (allowanceBytes < mostBytes) {
      share();
      allowanceBytes += pool.take(Math.min(allowanceBytes, mostBytes - allowanceBytes));
    }
  }

  /**
   * Checks whether a path with this round trip needs more than 2 MiB, judged by what the
   * application took lately.
   */
  void onTurn(long roundTripNs, long nowNs) {
    if (allowanceBytes >= bytesMax
        && allowanceBytes < bytesMost
        && need.isMore(returnedBytes, allowanceBytes, roundTripNs, nowNs)
        && !pool.isShort()) {
      growTo(bytesMost);
    }
  }

  private boolean isHoldingPeerBack() {
    return toldBytes - chargedBytes < allowanceBytes >> 1;
  }

  private boolean letGo(long takenBytes) {
    long excess = allowanceBytes - initialBytes - pool.shareBytes();
    // At most half of what was taken, so that the limit still rises and the peer never starves.
    long bytes = Math.min(excess, takenBytes >> 1);
    if (bytes <= 0) {
      return false;
    }
    allowanceBytes -= bytes;
    pool.giveBack(bytes);
    return true;
  }

  /**
   * Counts this connection among those that share the pool, from its first wish on, whether or not
   * it is granted.
   */
  private void share() {
    if (!isSharing) {
      isSharing = true;
      pool.onSharer(1);
    }
  }

  /** Returns the cumulative limit, bytes. */
  long limitBytes() {
    return returnedBytes + allowanceBytes;
  }

  /**
   * Returns whether the limit has risen so much that a record should carry it. The rise counts from
   * the last telling that cannot be lost.
   */
  boolean isWorthTelling() {
    long risen = limitBytes() - toldBytes;
    return risen > 0
        && (risen >= allowanceBytes >> 2 || toldBytes - chargedBytes < initialBytes >> 1);
  }

  /**
   * Returns whether the peer knows of enough credit, so that a limit that is not told yet does not
   * hold it back.
   */
  boolean isAmple() {
    return toldBytes - chargedBytes >= initialBytes - (initialBytes >> 2);
  }

  /** Returns the limit, which goes out in the numbered packet {@code psn} and so cannot be lost. */
  long tell(int psn) {
    if (isRoundOver) {
      isRoundOver = false;
      isRoundOpen = false;
      if (returnedBytes - roundReturnedBytes > allowanceBytes >> 1 && !pool.isShort()) {
        growTo(bytesMax);
      }
    }
    if (!isRoundOpen) {
      isRoundOpen = true;
      roundPsn = psn;
      roundReturnedBytes = returnedBytes;
    }
    toldBytes = limitBytes();
    hasGrown = false;
    return toldBytes;
  }

  /** Handles acknowledgements that the window saw. */
  void onAcknowledged(AcknowledgementView view) {
    isRoundOver = isRoundOpen && view.isAcknowledged(WindowClass.DATA, roundPsn);
  }

  /** Returns the bytes that were charged so far. */
  long chargedBytes() {
    return chargedBytes;
  }

  /** Returns the bytes that were charged and not yet returned. */
  long usedBytes() {
    return chargedBytes - returnedBytes;
  }

  /** Closes: the connection ended, and its part goes back to the pool. */
  void close() {
    pool.giveBack(allowanceBytes - initialBytes);
    allowanceBytes = initialBytes;
    if (isSharing) {
      isSharing = false;
      pool.onSharer(-1);
    }
  }
}
