package io.rtransport.core.queue;

/**
 * One completion entry as a handler sees it. The consumer reuses one object: its values are those
 * of an entry only during the handler's call. Confined to the consumer's thread.
 */
public final class Completion {
  static final int BYTE_MASK = 0xFF;
  static final long INBOUND_BIT = 1L << 16;

  int eventQueue;
  int slot;
  long position;
  long tag;
  long identity;
  long bytes;
  long result;

  Completion() {}

  /** Returns the index of the event queue, as {@link EventQueue#index()}. */
  public int eventQueue() {
    return eventQueue;
  }

  /** Returns the slot of the completion queue, as {@link CompletionQueue#slot()}. */
  public int slot() {
    return slot;
  }

  /** Returns the number of entries that this completion queue has had before. */
  public long position() {
    return position;
  }

  /** Returns what the application gave when it posted the transaction. */
  public long tag() {
    return tag;
  }

  /** Returns the connection id. */
  public int connection() {
    return (int) (identity >>> Integer.SIZE);
  }

  /** Returns the transaction's request sequence number. */
  public int rsn() {
    return (int) identity;
  }

  /** Returns the number of bytes. */
  public long bytes() {
    return bytes;
  }

  /** Returns the kind of what ended or came, 0..255. The caller of the queue defines it. */
  public int opcode() {
    return (int) result & BYTE_MASK;
  }

  /** Returns how it ended, 0..255. The caller of the queue defines it. */
  public int status() {
    return (int) result >>> Byte.SIZE & BYTE_MASK;
  }

  /** Returns the code of an error, or 0. */
  public int code() {
    return (int) (result >>> Integer.SIZE);
  }

  /** Returns whether the peer began it: its entry had inbound room. */
  public boolean isInbound() {
    return (result & INBOUND_BIT) != 0;
  }
}
