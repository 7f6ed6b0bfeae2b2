package io.rtransport.core.cam;

import java.util.Arrays;

/**
 * A bounded exact-match table from (connection id, space, sequence number) to a slot: the content-addressable memory of the patent's
 * two engines, in flat primitive arrays. It decides only which slot a key has; packets, payloads and transactions lie beside it. Full is
 * an answer, and the table never grows.
 *
 * <p>Open addressing with linear probing. Eight consecutive sequence numbers share one hash and have homes side by side, so that a window
 * walks from cache line to cache line. (Were all of a window side by side, two windows that happen to lie across each other would probe
 * half a window for every packet: 530 places with four windows of 2,048 in a half-full table, against 7 with runs of eight.) The hash is
 * keyed with a secret of the event loop, so that a peer cannot choose keys that collide. A removal shifts later entries of its chain back
 * and leaves no tombstone: a table in use for days is as fast as a new one.
 *
 * <p>The arrays are kept at most half full. Confined to one event loop;
 * allocates only in the constructor.
 */
public final class ContentAddressableMemory {
  /** Answer of {@link #lookup} and {@link #remove}: there is no such key. */
  public static final int MISSING = -1;

  /** Entries at the most that a table can have. */
  public static final int CAPACITY_MAX = 1 << 28;

  /** Consecutive sequence numbers, from a multiple of this on, that lie side by side. */
  static final int RUN = 8;

  private static final int SPACE_MAX = 0xFFFF;
  private static final int RUN_SHIFT = Integer.numberOfTrailingZeros(RUN);
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;
  private static final long MIX_1 = 0xBF58_476D_1CE4_E5B9L;
  private static final long MIX_2 = 0x94D0_49BB_1331_11EBL;

  private final int capacity;
  private final int mask;
  private final long hashSeed;
  private final long[] owners; // cid in the high half, space in the low half
  private final int[] sequences;
  private final int[] slots; // MISSING = the place is empty
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
    this.owners = new long[places];
    this.sequences = new int[places];
    this.slots = new int[places];
    Arrays.fill(slots, MISSING);
  }

  /** The slot of the key, or {@link #MISSING}. */
  public int lookup(int cid, int space, int sequence) {
    return slots[find(owner(cid, space), sequence)];
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
    if (slots[place] != MISSING) {
      return false;
    }
    owners[place] = owner;
    sequences[place] = sequence;
    slots[place] = slot;
    size++;
    return true;
  }

  /** Gives a key that is in the table another slot ≥ 0; false when it is not in the table. */
  public boolean update(int cid, int space, int sequence, int slot) {
    requireSlot(slot);
    int place = find(owner(cid, space), sequence);
    if (slots[place] == MISSING) {
      return false;
    }
    slots[place] = slot;
    return true;
  }

  /** Takes a key out; its slot, or {@link #MISSING} when it was not in the table. */
  public int remove(int cid, int space, int sequence) {
    int place = find(owner(cid, space), sequence);
    int slot = slots[place];
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
      if (slots[place] != MISSING && owners[place] == owner) {
        consumer.onEntry(sequences[place], slots[place]);
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
    while (slots[place] != MISSING && (sequences[place] != sequence || owners[place] != owner)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  /** Empties {@code gap}, and moves back every later entry of the chain that would no longer be found behind an empty place. */
  private void closeGap(int gap) {
    int place = gap;
    while (true) {
      place = (place + 1) & mask;
      if (slots[place] == MISSING) {
        break;
      }
      int home = home(owners[place], sequences[place]);
      // It may move when its home does not lie in (gap, place], seen around the circle.
      if (((place - home) & mask) >= ((place - gap) & mask)) {
        owners[gap] = owners[place];
        sequences[gap] = sequences[place];
        slots[gap] = slots[place];
        gap = place;
      }
    }
    slots[gap] = MISSING;
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
