package io.rtransport.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Summary bytes of one consumer: which event queues are worth a look. A byte is 0 or 1.
 *
 * <p>One primary byte an EQ, all of them side by side: 64 EQs take one cache line, or two where the
 * array begins inside of a line. One secondary byte for each group of {@link #GROUP_LENGTH} CQs of
 * an EQ. One link byte an EQ, for its {@link LinkEventQueue}.
 *
 * <p>An event loop sets a byte after what it stands for. The consumer clears it by an atomic
 * exchange before it looks: what was stored before the byte that it took is then visible.
 */
final class SummaryBytes {
  /** CQs that share a secondary byte. */
  static final int GROUP_LENGTH = 64;

  private static final VarHandle BYTE = MethodHandles.arrayElementVarHandle(byte[].class);
  private static final byte SET = 1;

  /** Unused bytes at both ends of an array: nobody else's data is on its lines. */
  private static final int PAD = 128;

  private final byte[] primary;
  private final byte[] links;
  private final byte[] secondary;
  private final int groups;

  /** Creates bytes of 0 for so many EQs, each with so many groups of CQs. */
  SummaryBytes(int eventQueues, int groups) {
    primary = new byte[eventQueues + 2 * PAD];
    links = new byte[eventQueues + 2 * PAD];
    secondary = new byte[eventQueues * groups + 2 * PAD];
    this.groups = groups;
  }

  static int groupsOf(int completionQueues) {
    return (completionQueues + GROUP_LENGTH - 1) / GROUP_LENGTH;
  }

  int groups() {
    return groups;
  }

  void setPrimary(int eventQueue) {
    BYTE.setRelease(primary, PAD + eventQueue, SET);
  }

  void setSecondary(int eventQueue, int group) {
    BYTE.setRelease(secondary, PAD + eventQueue * groups + group, SET);
  }

  void setLink(int eventQueue) {
    BYTE.setRelease(links, PAD + eventQueue, SET);
  }

  boolean isPrimarySet(int eventQueue) {
    return (byte) BYTE.getOpaque(primary, PAD + eventQueue) != 0;
  }

  boolean isSecondarySet(int eventQueue, int group) {
    return (byte) BYTE.getOpaque(secondary, PAD + eventQueue * groups + group) != 0;
  }

  boolean clearPrimary(int eventQueue) {
    return isPrimarySet(eventQueue)
        && (byte) BYTE.getAndSet(primary, PAD + eventQueue, (byte) 0) != 0;
  }

  boolean clearSecondary(int eventQueue, int group) {
    return isSecondarySet(eventQueue, group)
        && (byte) BYTE.getAndSet(secondary, PAD + eventQueue * groups + group, (byte) 0) != 0;
  }

  boolean clearLink(int eventQueue) {
    return (byte) BYTE.getOpaque(links, PAD + eventQueue) != 0
        && (byte) BYTE.getAndSet(links, PAD + eventQueue, (byte) 0) != 0;
  }
}
