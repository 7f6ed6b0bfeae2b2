package io.rtransport.netty;

import java.util.ArrayDeque;

/** The free {@link MessageRun runs} of an event loop. Confined to it. */
final class MessageRuns {
  /** More than that are the collector's: 512 KiB. */
  static final int KEPT_MAX = 64;

  private final ArrayDeque<MessageRun> free = new ArrayDeque<>(0);

  MessageRun take() {
    MessageRun run = free.poll();
    return run == null ? new MessageRun() : run;
  }

  void give(MessageRun run) {
    run.clear();
    if (free.size() < KEPT_MAX) {
      free.push(run);
    }
  }
}
