package io.rtransport.netty.internal.write;

import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;

/**
 * Ties a {@link Push} or {@link Pull} to its place among a channel's writes, so that it can be
 * given up on any thread, and before it is written too. The place is the event loop's alone.
 */
public final class CancelWish {
  /** The writes of a channel, each in a slot. */
  public interface Writes {
    /** What was written with {@code wish} is to be given up. Any thread. */
    void cancelDue(CancelWish wish);
  }

  private static final int NONE = -1;

  private volatile boolean isMade;
  private volatile Writes writes;
  private int slot = NONE;

  public void make() {
    isMade = true;
    Writes written = writes;
    if (written != null) {
      written.cancelDue(this);
    }
  }

  public boolean isMade() {
    return isMade;
  }

  /** It was written, and stands there until {@link #ended}. */
  public void written(Writes to, int atSlot) {
    slot = atSlot;
    writes = to;
    if (isMade) {
      to.cancelDue(this);
    }
  }

  public boolean hasEnded() {
    return slot == NONE;
  }

  /** Its place, until it has ended. */
  public int slot() {
    return slot;
  }

  public void ended() {
    slot = NONE;
  }
}
