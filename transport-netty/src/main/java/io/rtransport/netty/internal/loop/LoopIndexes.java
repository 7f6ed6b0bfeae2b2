package io.rtransport.netty.internal.loop;

/**
 * Numbers the event loops of the process, for their connections' ids: each another of the 256 that
 * there are, for as long as there are as many, and one that was given back as late as can be. Any
 * thread.
 */
public final class LoopIndexes {
  private static final int COUNT = 256;

  private final int[] users = new int[COUNT];
  private int next;

  /** A number that nobody has; that somebody has too, if all are taken. */
  public synchronized int take() {
    int index = next;
    for (int i = 0; i < COUNT; i++) {
      if (users[next + i & COUNT - 1] == 0) {
        index = next + i & COUNT - 1;
        break;
      }
    }
    users[index]++;
    next = index + 1 & COUNT - 1;
    return index;
  }

  public synchronized void giveBack(int index) {
    users[index]--;
  }
}
