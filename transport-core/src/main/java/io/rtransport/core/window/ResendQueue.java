package io.rtransport.core.window;

import io.rtransport.core.window.RetransmissionEngine.Resend;

/**
 * Packets of one connection that wait for a resend. Expiries and probes come first, then lost
 * packets, oldest judgement first. It is a list through the engine's slots, so an acknowledged
 * packet leaves it in constant time.
 */
final class ResendQueue {
  private static final int NONE = RetransmissionEngine.NONE;

  private final RetransmissionEngine engine;
  private int head = NONE;
  private int tail = NONE;

  ResendQueue(RetransmissionEngine engine) {
    this.engine = engine;
  }

  boolean isEmpty() {
    return head == NONE;
  }

  /** Returns the first slot, or NONE. */
  int first() {
    return head;
  }

  /** Returns the slot behind {@code slot}, or NONE. */
  int after(int slot) {
    return engine.next(slot);
  }

  boolean contains(int slot) {
    return engine.pendingResend(slot) != Resend.NO;
  }

  /** Appends a slot judged lost. A slot already in the queue keeps its place. */
  void addLast(int slot, Resend kind) {
    if (contains(slot)) {
      return;
    }
    engine.pendingResend(slot, kind);
    engine.previous(slot, tail);
    engine.next(slot, NONE);
    if (tail == NONE) {
      head = slot;
    } else {
      engine.next(tail, slot);
    }
    tail = slot;
  }

  /** Puts a slot at the front, also if it is already in the queue. */
  void addFirst(int slot, Resend kind) {
    if (contains(slot)) {
      remove(slot);
    }
    engine.pendingResend(slot, kind);
    engine.previous(slot, NONE);
    engine.next(slot, head);
    if (head == NONE) {
      tail = slot;
    } else {
      engine.previous(head, slot);
    }
    head = slot;
  }

  /** Removes a slot that was sent or acknowledged. */
  void remove(int slot) {
    int before = engine.previous(slot);
    int behind = engine.next(slot);
    if (before == NONE) {
      head = behind;
    } else {
      engine.next(before, behind);
    }
    if (behind == NONE) {
      tail = before;
    } else {
      engine.previous(behind, before);
    }
    engine.pendingResend(slot, Resend.NO);
  }
}
