package io.rtransport.netty.internal.write;

import io.rtransport.netty.Pull;
import io.rtransport.netty.Push;

/**
 * Handle that gives a {@link Push} or {@link Pull} up, on any thread and even before its write. It
 * knows the place of the message among a channel's writes. Only the event loop uses the place.
 */
public final class CancelWish {
  /** The writes of a channel, each in a slot. */
  public interface Writes {
    /** Asks to give up the message that was written with {@code wish}. Any thread. */
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

  /** Tells that the message was written. It stands at that place until {@link #ended}. */
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

  /** Returns its place, until it has ended. */
  public int slot() {
    return slot;
  }

  public void ended() {
    slot = NONE;
  }
}
