package io.rtransport.core.window;

/** Counts of one path's resends, for people who watch. */
public final class ResendCounts {
  private long on;
  private long from;
  private long movedFrom;

  ResendCounts() {}

  /** Counts a resend that leaves on this path, of a packet that {@code former} carried last. */
  void count(ResendCounts former, boolean isMoved) {
    on++;
    former.from++;
    former.movedFrom += isMoved ? 1 : 0;
  }

  /** Returns how many resends left on this path. */
  public long on() {
    return on;
  }

  /** Returns how many resends there were of packets that this path had carried last. */
  public long from() {
    return from;
  }

  /** Returns how many of these left on another path, because this one was suspect. */
  public long movedFrom() {
    return movedFrom;
  }
}
