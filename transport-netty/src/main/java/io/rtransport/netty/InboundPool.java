package io.rtransport.netty;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Pool of one channel's inbound messages, by slot, used and free. Once the channel has had its
 * highest number of messages, the pool allocates nothing. Confined to the event loop.
 */
final class InboundPool {
  private final List<InboundMessage> slots = new ArrayList<>();
  private final ArrayDeque<InboundMessage> free = new ArrayDeque<>();

  InboundMessage bySlot(int slot) {
    return slots.get(slot);
  }

  InboundMessage take() {
    InboundMessage message = free.poll();
    if (message == null) {
      message = new InboundMessage(slots.size());
      slots.add(message);
    }
    return message;
  }

  void give(InboundMessage message) {
    message.clear();
    free.push(message);
  }

  /** Returns the number of messages taken and not given back. */
  int live() {
    return slots.size() - free.size();
  }
}
