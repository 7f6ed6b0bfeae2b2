package io.rtransport.netty;

import java.util.Arrays;

/**
 * Pool of one channel's outbound messages, by slot, used and free. Once the channel has had its
 * highest number of messages, the pool allocates nothing. Confined to the event loop.
 */
final class OutboundPool {
  private static final int FIRST_CAPACITY = 16;

  private static final OutboundMessage[] NONE_YET = {};

  private OutboundMessage[] bySlot = NONE_YET;
  private int created;
  private int free = OutboundMessage.NONE;
  private int live;

  OutboundMessage bySlot(int slot) {
    return bySlot[slot];
  }

  OutboundMessage take() {
    OutboundMessage message;
    if (free == OutboundMessage.NONE) {
      if (created == bySlot.length) {
        bySlot = Arrays.copyOf(bySlot, Math.max(FIRST_CAPACITY, 2 * created));
      }
      message = new OutboundMessage(created);
      bySlot[created++] = message;
    } else {
      message = bySlot[free];
      free = message.next;
      message.next = OutboundMessage.NONE;
    }
    live++;
    return message;
  }

  void give(OutboundMessage message) {
    message.clear();
    message.next = free;
    free = message.slot;
    live--;
  }

  /** Returns the number of messages taken and not given back. */
  int live() {
    return live;
  }
}
