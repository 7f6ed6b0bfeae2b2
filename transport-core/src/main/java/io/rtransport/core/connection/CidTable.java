package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;
import java.util.Arrays;

/**
 * Connection ids of one event loop: {@code loop (8 bits) | slot (16) | generation (8)}. Finding a
 * connection is an array access; 0 is no id; a slot is used again, oldest first, no sooner than 3 s
 * after it was freed and then under another generation, so a late packet of the old connection
 * finds nobody.
 *
 * @param <T> what a slot names: a connection, or a handshake not yet confirmed
 */
final class CidTable<T> {
  static final long REUSE_DELAY_NS = 3_000_000_000L;
  private static final int NONE = -1;

  private final int loop;
  private final int slotMax;
  private Object[] entries = new Object[16];
  private byte[] generations = new byte[16];
  private long[] freedNs = new long[16];
  private int[] nextFree = new int[16];
  private int freeHead = NONE;
  private int freeTail = NONE;
  private int used;
  private int size;

  CidTable(int loop, int slotMax) {
    assert loop >= 0 && loop < 256 : "loop=" + loop;
    this.loop = loop;
    this.slotMax = Math.min(slotMax, Limits.CONNECTIONS_MAX);
  }

  /** A new id for {@code entry}, or 0 when no slot is free. */
  int insert(T entry, long nowNs) {
    int slot;
    if (freeHead != NONE && nowNs - freedNs[freeHead] >= REUSE_DELAY_NS) {
      slot = freeHead;
      freeHead = nextFree[slot];
      if (freeHead == NONE) {
        freeTail = NONE;
      }
    } else if (used < slotMax) {
      slot = used++;
      ensure(slot);
    } else {
      return 0;
    }
    generations[slot]++;
    if (generations[slot] == 0) {
      generations[slot] = 1;
    }
    entries[slot] = entry;
    size++;
    return loop << 24 | slot << 8 | generations[slot] & 0xFF;
  }

  /** What {@code cid} names, or null. */
  @SuppressWarnings("unchecked")
  T find(int cid) {
    int slot = slot(cid);
    if (cid >>> 24 != loop || slot >= used || (byte) cid != generations[slot]) {
      return null;
    }
    return (T) entries[slot];
  }

  /** Puts {@code entry} in the place of what {@code cid} names. */
  void replace(int cid, T entry) {
    entries[slot(cid)] = entry;
  }

  void remove(int cid, long nowNs) {
    int slot = slot(cid);
    if (entries[slot] == null || (byte) cid != generations[slot]) {
      return;
    }
    entries[slot] = null;
    freedNs[slot] = nowNs;
    nextFree[slot] = NONE;
    if (freeTail == NONE) {
      freeHead = slot;
    } else {
      nextFree[freeTail] = slot;
    }
    freeTail = slot;
    size--;
  }

  @SuppressWarnings("unchecked")
  T atSlot(int slot) {
    return (T) entries[slot];
  }

  /** Slots ever used: all entries are below. */
  int slotCount() {
    return used;
  }

  int size() {
    return size;
  }

  static int slot(int cid) {
    return cid >>> 8 & 0xFFFF;
  }

  private void ensure(int slot) {
    if (slot >= entries.length) {
      int length = Math.max(slot + 1, entries.length * 2);
      entries = Arrays.copyOf(entries, length);
      generations = Arrays.copyOf(generations, length);
      freedNs = Arrays.copyOf(freedNs, length);
      nextFree = Arrays.copyOf(nextFree, length);
    }
  }
}
