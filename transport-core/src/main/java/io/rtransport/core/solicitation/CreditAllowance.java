package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;

/**
 * The receiver's side of unsolicited credit: what the peer has charged, what the application has
 * taken since, and the limit to tell.
 *
 * <p>{@code limit = returned + allowance}. The allowance is what the peer may have with us untaken,
 * and on its way. It starts at the initial credit and doubles, up to 2 MiB, as far as the node's
 * {@link CreditPool} gives, when the credit and not the application holds the peer back. There are
 * two signs of that. The peer has spent all but half an allowance of what it was told, and the
 * application takes: once each time that it is told. Or the application took more than half an
 * allowance within one round trip, which a full pipe shows even if each message is taken and told
 * as soon as it arrives; a round trip is from a telling to its acknowledgement. When the pool is
 * short, a connection above its share lets go: its limit then rises by less than was taken. The
 * limit itself never falls.
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
   * @param bytesMost what the peer may have untaken and on its way on a long path; beyond 2 MiB the
   *     allowance follows bandwidth × delay
   */
  CreditAllowance(long initialBytes, long bytesMost, CreditPool pool) {
    this.initialBytes = initialBytes;
    this.pool = pool;
    bytesMax = Math.max(initialBytes, Limits.CREDIT_BYTES_MAX);
    this.bytesMost = Math.max(bytesMax, bytesMost);
    allowanceBytes = initialBytes;
    toldBytes = initialBytes;
  }

  /** The peer has spent {@code bytes}. False when it had no right to. */
  boolean charge(long bytes) {
    chargedBytes += bytes;
    return chargedBytes <= returnedBytes + allowanceBytes;
  }

  /** The application has taken what cost {@code bytes}. */
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
   * Looks whether a path so long, with what the application took of late, needs more than 2 MiB.
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
    // At most half of what was taken, so that the limit goes on rising and the peer never starves.
    long bytes = Math.min(excess, takenBytes >> 1);
    if (bytes <= 0) {
      return false;
    }
    allowanceBytes -= bytes;
    pool.giveBack(bytes);
    return true;
  }

  /** Counts among those that share the pool, from the first wish on, be it granted or not. */
  private void share() {
    if (!isSharing) {
      isSharing = true;
      pool.onSharer(1);
    }
  }

  /** The cumulative limit. */
  long limitBytes() {
    return returnedBytes + allowanceBytes;
  }

  /**
   * Whether the limit rose by so much since it was last told for certain that a record should carry
   * it.
   */
  boolean isWorthTelling() {
    long risen = limitBytes() - toldBytes;
    return risen > 0
        && (risen >= allowanceBytes >> 2 || toldBytes - chargedBytes < initialBytes >> 1);
  }

  /**
   * Whether the peer knows of so much credit left that a limit not told yet does not hold it back.
   */
  boolean isAmple() {
    return toldBytes - chargedBytes >= initialBytes - (initialBytes >> 2);
  }

  /** The limit, which goes out in the numbered packet {@code psn}, and so cannot be lost. */
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

  /** The window saw acknowledgements. */
  void onAcknowledged(AcknowledgementView view) {
    isRoundOver = isRoundOpen && view.isAcknowledged(WindowClass.DATA, roundPsn);
  }

  /** Bytes charged so far. */
  long chargedBytes() {
    return chargedBytes;
  }

  /** Bytes charged and not yet returned. */
  long usedBytes() {
    return chargedBytes - returnedBytes;
  }

  /** The connection ended: what was held goes back to the pool. */
  void close() {
    pool.giveBack(allowanceBytes - initialBytes);
    allowanceBytes = initialBytes;
    if (isSharing) {
      isSharing = false;
      pool.onSharer(-1);
    }
  }
}
