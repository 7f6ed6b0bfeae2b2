package io.rtransport.core.solicitation;

import io.rtransport.core.stats.Limits;

/**
 * The receiver's side of unsolicited credit: what the peer has charged, what the application has taken since, and the limit to tell.
 *
 * <p>{@code limit = returned + allowance}. The allowance is what the peer may have with us untaken. It starts at the initial credit and
 * doubles while the peer uses more than half of it, up to 2 MiB, as far as the node's {@link CreditPool} gives; when that is short, a
 * connection above its share lets go: its limit then rises by less than was taken. The limit itself never falls.
 */
final class CreditAllowance {
  private final long initialBytes;
  private final long bytesMax;
  private final CreditPool pool;
  private long allowanceBytes;
  private long chargedBytes;
  private long returnedBytes;
  private long toldBytes;
  private boolean isHolder;

  CreditAllowance(long initialBytes, CreditPool pool) {
    this.initialBytes = initialBytes;
    this.pool = pool;
    bytesMax = Math.max(initialBytes, Limits.CREDIT_BYTES_MAX);
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
    if (allowanceBytes > initialBytes && pool.isShort()) {
      letGo(bytes);
    } else if (usedBytes > allowanceBytes >> 1 && allowanceBytes < bytesMax) {
      hold(pool.take(Math.min(allowanceBytes, bytesMax - allowanceBytes)));
    }
  }

  private void letGo(long takenBytes) {
    long excess = allowanceBytes - Math.max(initialBytes, pool.shareBytes());
    // At most half of what was taken, so that the limit goes on rising and the peer never starves.
    long bytes = Math.min(excess, takenBytes >> 1);
    if (bytes > 0) {
      hold(-bytes);
      pool.giveBack(bytes);
    }
  }

  private void hold(long change) {
    allowanceBytes += change;
    boolean holds = allowanceBytes > initialBytes;
    if (holds != isHolder) {
      isHolder = holds;
      pool.onHolder(holds ? 1 : -1);
    }
  }

  /** The cumulative limit. */
  long limitBytes() {
    return returnedBytes + allowanceBytes;
  }

  /** Whether the limit rose by so much since it was last told for certain that a record should carry it. */
  boolean isWorthTelling() {
    long risen = limitBytes() - toldBytes;
    return risen > 0
        && (risen >= allowanceBytes >> 2 || toldBytes - chargedBytes < initialBytes >> 1);
  }

  /** The limit went out in a numbered record, which cannot be lost. */
  void onTold() {
    toldBytes = limitBytes();
  }

  /** Bytes charged and not yet returned. */
  long usedBytes() {
    return chargedBytes - returnedBytes;
  }

  /** The connection ended: what was held goes back to the pool. */
  void close() {
    if (allowanceBytes > initialBytes) {
      pool.giveBack(allowanceBytes - initialBytes);
      hold(initialBytes - allowanceBytes);
    }
  }
}
