package io.rtransport.netty.internal.loop;

/**
 * Numbers of the process's event loops, for the ids of their connections. There are 256 numbers;
 * each loop gets a different one as long as they last. A number that was given back is used again
 * as late as possible. Any thread.
 */
public final class LoopIndexes {
  private static final int COUNT = 256;

  private final int[] users = new int[COUNT];
  private int next;

  /** Takes a number that no loop has. If all are taken, it takes one that another loop has too. */
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
