package io.rtransport.netty;

/**
 * Queue of outbound messages in the order in which they came, linked by slot numbers. A message
 * stands in at most one queue. The queue allocates nothing and stores no reference: each store into
 * an old object would cost the garbage collector's barrier. Confined to the event loop.
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

  /** Returns the first message, or null. */
  OutboundMessage peek() {
    return size == 0 ? null : pool.bySlot(first);
  }

  /** Returns the last message, or null. */
  OutboundMessage peekLast() {
    return size == 0 ? null : pool.bySlot(last);
  }

  /** Takes the first message; null if empty. */
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
