package io.rtransport.core.window;

/**
 * Budget of an event loop's tail probes: packets resent although nothing shows that they were lost.
 * Without it a loop that is late, or whose peers are late, would answer lateness with more packets.
 *
 * <p>A probe takes one token. {@link #PACKETS_PER_TOKEN} packets sent for the first time earn one,
 * and so does each {@link #TOKEN_INTERVAL_NS}, up to {@link #TOKENS_MAX}. A probe that proves to
 * have been needed gives its token back, so that real losses are probed for at any rate. Without a
 * token a probe waits; the ADP timer, the last resort, is not bounded.
 *
 * <p>A path whose probes proved needless lately leaves {@link #RESERVED_TOKENS} to the others, so
 * that a peer that answers late, or says so, cannot spend what the loop's other connections need.
 * Loop-confined.
 */
public final class ProbeBudget {
  /** Packets for one token: at most one in so many is a needless probe, beside what time earns. */
  public static final int PACKETS_PER_TOKEN = 2_048;

  /**
   * Tokens at the start, which is the limit too: probes that a loop may have on their way unproven.
   */
  public static final int TOKENS_MAX = 32;

  /** Tokens that a path does not touch whose probes proved needless lately. */
  public static final int RESERVED_TOKENS = TOKENS_MAX / 2;

  /** A loop that sends little earns a token in this time. */
  public static final long TOKEN_INTERVAL_NS = 100_000_000;

  private static final long FULL = (long) TOKENS_MAX * PACKETS_PER_TOKEN;

  /**
   * In parts of a token: one a packet. Negative while probes proved needless after their token was
   * given back.
   */
  private long parts = FULL;

  private long earnedNs;
  private boolean hasStarted;

  /** Notes that a packet left that was never sent before. */
  void onSent() {
    parts = Math.min(FULL, parts + 1);
  }

  /**
   * Takes a token for a probe; false: there is none.
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
   * Notes that a probe arrived, and nothing says that its packet had arrived before: its token
   * comes back.
   */
  void onNeeded() {
    parts = Math.min(FULL, parts + PACKETS_PER_TOKEN);
  }

  /** Notes that {@code count} probes proved needless whose tokens had come back. */
  void onNeedless(int count) {
    parts = Math.max(-FULL, parts - (long) count * PACKETS_PER_TOKEN);
  }

  /** Returns the whole tokens that are there; negative: owed. */
  public int tokens() {
    return (int) Math.floorDiv(parts, PACKETS_PER_TOKEN);
  }
}
