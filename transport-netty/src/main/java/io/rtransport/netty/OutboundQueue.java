package io.rtransport.netty;

/**
 * Outbound messages in the order in which they came, threaded by slot: a message stands in at most
 * one queue. Nothing is allocated and no reference is stored, which into old objects costs the
 * garbage collector's barrier each time. Confined to the event loop.
 */
final class OutboundQueue {
  private final OutboundPool pool;
  private int first = OutboundMessage.NONE;
  private int last = OutboundMessage.NONE;
  private int size;

  OutboundQueue(OutboundPool pool) {
    this.pool = pool;
  }

  int size() {
    return size;
  }

  boolean isEmpty() {
    return size == 0;
  }

  void add(OutboundMessage message) {
    assert message.next == OutboundMessage.NONE : "stands in another queue";
    if (size++ == 0) {
      first = message.slot;
    } else {
      pool.bySlot(last).next = message.slot;
    }
    last = message.slot;
  }

  /** The first, or null. */
  OutboundMessage peek() {
    return size == 0 ? null : pool.bySlot(first);
  }

  /** The last, or null. */
  OutboundMessage peekLast() {
    return size == 0 ? null : pool.bySlot(last);
  }

  /** Takes the first out; null when empty. */
  OutboundMessage poll() {
    if (size == 0) {
      return null;
    }
    OutboundMessage message = pool.bySlot(first);
    first = message.next;
    message.next = OutboundMessage.NONE;
    size--;
    return message;
  }
}
