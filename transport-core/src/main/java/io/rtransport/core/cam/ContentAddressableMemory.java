package io.rtransport.core.cam;

import java.util.Arrays;

/**
 * A bounded exact-match table from (connection id, space, sequence number) to a slot: the content-addressable memory of the patent's
 * two engines, in a flat primitive array. It decides only which slot a key has; packets, payloads and transactions lie beside it. Full is
 * an answer, and the table never grows.
 *
 * <p>Open addressing with linear probing. Eight consecutive sequence numbers share one hash and have homes side by side, so that a window
 * walks from cache line to cache line. (Were all of a window side by side, two windows that happen to lie across each other would probe
 * half a window for every packet: 530 places with four windows of 2,048 in a half-full table, against 7 with runs of eight.) The hash is
 * keyed with a secret of the event loop, so that a peer cannot choose keys that collide. A removal shifts later entries of its chain back
 * and leaves no tombstone: a table in use for days is as fast as a new one.
 *
 * <p>The array is kept at most half full. Confined to one event loop;
 * allocates only in the constructor.
 */
public final class ContentAddressableMemory {
  /** Answer of {@link #lookup} and {@link #remove}: there is no such key. */
  public static final int MISSING = -1;

  /** Entries at the most that a table can have. */
  public static final int CAPACITY_MAX = 1 << 28;

  /** Consecutive sequence numbers, from a multiple of this on, that lie side by side. */
  static final int RUN = 8;

  private static final long EMPTY = -1;
  private static final int SPACE_MAX = 0xFFFF;
  private static final int RUN_SHIFT = Integer.numberOfTrailingZeros(RUN);
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
  private static final long MIX_1 = 0xBF58_476D_1CE4_E5B9L;
  private static final long MIX_2 = 0x94D0_49BB_1331_11EBL;

  private final int capacity;
  private final int mask;
  private final long hashSeed;

  /**
   * Two words a place, so that a run lies in three cache lines at the most: cid and space, which own it; sequence and slot, or {@link #EMPTY}, whose slot is
   * MISSING.
   */
  private final long[] words;

  private int size;

  /** Told of the entries found by {@link #scan}. Must not change the table. */
  @FunctionalInterface
  public interface EntryConsumer {
    void onEntry(int sequence, int slot);
  }

  /**
   * An empty table.
   *
   * @param capacity entries it can hold, 1..2^28
   * @param hashSeed the secret, drawn at random
   */
  public ContentAddressableMemory(int capacity, long hashSeed) {
    if (capacity < 1 || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "capacity=" + capacity + ", valid range 1.." + CAPACITY_MAX);
    }
    int places = Integer.highestOneBit(2 * capacity - 1) << 1;
    this.capacity = capacity;
    this.mask = places - 1;
    this.hashSeed = hashSeed;
    this.words = new long[2 * places];
    Arrays.fill(words, EMPTY);
  }

  /** The slot of the key, or {@link #MISSING}. */
  public int lookup(int cid, int space, int sequence) {
    return slot(find(owner(cid, space), sequence));
  }

  /**
   * Adds a key that is not in the table.
   *
   * @param slot ≥ 0
   * @return false, and nothing changed, when the table is full or the key is in it already
   */
  public boolean insert(int cid, int space, int sequence, int slot) {
    requireSlot(slot);
    if (size == capacity) {
      return false;
    }
    long owner = owner(cid, space);
    int place = find(owner, sequence);
    if (slot(place) != MISSING) {
      return false;
    }
    words[2 * place] = owner;
    words[2 * place + 1] = entry(sequence, slot);
    size++;
    return true;
  }

  /** Gives a key that is in the table another slot ≥ 0; false when it is not in the table. */
  public boolean update(int cid, int space, int sequence, int slot) {
    requireSlot(slot);
    int place = find(owner(cid, space), sequence);
    if (slot(place) == MISSING) {
      return false;
    }
    words[2 * place + 1] = entry(sequence, slot);
    return true;
  }

  /** Takes a key out; its slot, or {@link #MISSING} when it was not in the table. */
  public int remove(int cid, int space, int sequence) {
    return remove(owner(cid, space), sequence);
  }

  /**
   * Takes out the keys of up to 64 consecutive sequence numbers.
   *
   * @param bits a bit per key, from {@code firstSequence} on
   * @param removed gets what {@link #remove} would answer to each, in their order: as many as there are bits
   */
  public void removeAll(int cid, int space, int firstSequence, long bits, int[] removed) {
    long owner = owner(cid, space);
    int at = Long.bitCount(bits);
    // From the last one on: the place behind it is most often empty then, and nothing moves back.
    for (long left = bits; left != 0; left ^= Long.highestOneBit(left)) {
      removed[--at] = remove(owner, firstSequence + 63 - Long.numberOfLeadingZeros(left));
    }
  }

  private int remove(long owner, int sequence) {
    int place = find(owner, sequence);
    int slot = slot(place);
    if (slot != MISSING) {
      closeGap(place);
      size--;
    }
    return slot;
  }

  /**
   * Tells every entry of (cid, space), in no particular order. Walks over the whole table: for the end of a connection, not for the
   * data path.
   *
   * @return entries told
   */
  public int scan(int cid, int space, EntryConsumer consumer) {
    long owner = owner(cid, space);
    int found = 0;
    for (int place = 0; place <= mask; place++) {
      if (slot(place) != MISSING && words[2 * place] == owner) {
        consumer.onEntry(sequence(place), slot(place));
        found++;
      }
    }
    return found;
  }

  /** Entries in the table. */
  public int size() {
    return size;
  }

  /** Entries at the most. */
  public int capacity() {
    return capacity;
  }

  /** Where the key would lie in an empty table. */
  int home(int cid, int space, int sequence) {
    return home(owner(cid, space), sequence);
  }

  /** Where the key lies, or would be put. */
  int placeOf(int cid, int space, int sequence) {
    return find(owner(cid, space), sequence);
  }

  /** Places of the table, a power of two; {@link #home} is below it. */
  int places() {
    return mask + 1;
  }

  /** The place that holds the key, or the empty one where it belongs. There always is one: at most half are taken. */
  private int find(long owner, int sequence) {
    int place = home(owner, sequence);
    while (slot(place) != MISSING && (sequence(place) != sequence || words[2 * place] != owner)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  /** Empties {@code gap}, and moves back every later entry of the chain that would no longer be found behind an empty place. */
  private void closeGap(int gap) {
    int place = gap;
    while (true) {
      place = (place + 1) & mask;
      if (slot(place) == MISSING) {
        break;
      }
      int home = home(words[2 * place], sequence(place));
      // It may move when its home does not lie in (gap, place], seen around the circle.
      if (((place - home) & mask) >= ((place - gap) & mask)) {
        words[2 * gap] = words[2 * place];
        words[2 * gap + 1] = words[2 * place + 1];
        gap = place;
      }
    }
    words[2 * gap + 1] = EMPTY;
  }

  private int slot(int place) {
    return (int) words[2 * place + 1];
  }

  private int sequence(int place) {
    return (int) (words[2 * place + 1] >>> 32);
  }

  private static long entry(int sequence, int slot) {
    return (long) sequence << 32 | slot;
  }

  private int home(long owner, int sequence) {
    long x = hashSeed ^ owner ^ (sequence >>> RUN_SHIFT) * GOLDEN;
    x = (x ^ (x >>> 30)) * MIX_1;
    x = (x ^ (x >>> 27)) * MIX_2;
    return (int) (x >>> 32) + (sequence & RUN - 1) & mask;
  }

  private static long owner(int cid, int space) {
    assert space >= 0 && space <= SPACE_MAX : "space=" + space + ", valid range 0..65535";
    return (long) cid << 32 | space;
  }

  private static void requireSlot(int slot) {
    if (slot < 0) {
      throw new IllegalArgumentException("slot=" + slot + ", valid range 0..2147483647");
    }
  }
}
