package io.rtransport.core.connection;

import io.rtransport.core.stats.Limits;
import java.util.Arrays;

/**
 * Connection ids of one event loop: {@code loop (8 bits) | slot (16) | generation (8)}. 0 is no id.
 * An array access finds a connection.
 *
 * <p>A freed slot is used again, oldest first, after 3 s at the earliest and under another
 * generation. So a late packet of the old connection finds no connection.
 *
 * @param <T> type of the entries: a connection, or a handshake that is not confirmed yet
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

  /** Returns a new id for {@code entry}, or 0 when no slot is free. */
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

  /** Returns the entry with the id {@code cid}, or null. */
  @SuppressWarnings("unchecked")
  T find(int cid) {
    int slot = slot(cid);
    if (cid >>> 24 != loop || slot >= used || (byte) cid != generations[slot]) {
      return null;
    }
    return (T) entries[slot];
  }

  /** Replaces the entry with the id {@code cid}. */
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
