package io.rtransport.core.window;

/**
 * Limits the share of an event loop's sends that are tail probes, which are resends without
 * evidence of loss. Without a limit, a late loop, or one with late peers, would answer lateness
 * with more packets.
 *
 * <p>A probe takes one token. {@link #PACKETS_PER_TOKEN} new packets earn one, and so does each
 * {@link #TOKEN_INTERVAL_NS}, up to {@link #TOKENS_MAX}. A probe that proves needed returns its
 * token, so real losses are always probed. Without a token a probe waits. The ADP timer, the last
 * resort, is not limited.
 *
 * <p>A path whose probes proved needless lately leaves {@link #RESERVED_TOKENS} to the other paths.
 * So a peer that answers late, or claims to, cannot use up the tokens of the loop's other
 * connections. Loop-confined.
 */
public final class ProbeBudget {
  /**
   * New packets that earn a token. So at most one packet in this number is a needless probe, in
   * addition to tokens earned by time.
   */
  public static final int PACKETS_PER_TOKEN = 2_048;

  /** Tokens at the start, and the maximum: unproven probes that a loop may have in flight. */
  public static final int TOKENS_MAX = 32;

  /** Tokens that a path cannot use if its probes proved needless lately. */
  public static final int RESERVED_TOKENS = TOKENS_MAX / 2;

  /** Time in which a loop earns one token even without sends. */
  public static final long TOKEN_INTERVAL_NS = 100_000_000;

  private static final long FULL = (long) TOKENS_MAX * PACKETS_PER_TOKEN;

  /**
   * Tokens in parts: each new packet earns one part. Negative if probes proved needless after their
   * token was returned.
   */
  private long parts = FULL;

  private long earnedNs;
  private boolean hasStarted;

  /** Records a packet that was sent for the first time. */
  void onSent() {
    parts = Math.min(FULL, parts + 1);
  }

  /**
   * Takes a token for a probe. Returns false if there is none.
   *
   * @param isDoubtful whether probes of this path proved needless lately
   */
  boolean tryTake(boolean isDoubtful, long nowNs) {
    earn(nowNs);
    int least = isDoubtful ? RESERVED_TOKENS + 1 : 1;
    if (parts < (long) least * PACKETS_PER_TOKEN) {
      return false;
    }
    parts -= PACKETS_PER_TOKEN;
    return true;
  }

  private void earn(long nowNs) {
    if (!hasStarted) {
      hasStarted = true;
      earnedNs = nowNs;
      return;
    }
    long tokens = (nowNs - earnedNs) / TOKEN_INTERVAL_NS;
    if (tokens > 0) {
      earnedNs += tokens * TOKEN_INTERVAL_NS;
      parts = Math.min(FULL, parts + Math.min(tokens, 2L * TOKENS_MAX) * PACKETS_PER_TOKEN);
    }
  }

  /**
   * Returns the token of a probe that arrived, if nothing shows that its packet had arrived before.
   */
  void onNeeded() {
    parts = Math.min(FULL, parts + PACKETS_PER_TOKEN);
  }

  /**
   * Takes back the tokens of {@code count} probes that proved needless after their tokens were
   * returned.
   */
  void onNeedless(int count) {
    parts = Math.max(-FULL, parts - (long) count * PACKETS_PER_TOKEN);
  }

  /** Returns the whole tokens available; negative if tokens are owed. */
  public int tokens() {
    return (int) Math.floorDiv(parts, PACKETS_PER_TOKEN);
  }
}
