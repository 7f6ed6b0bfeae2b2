package io.rtransport.core.cam;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;

/**
 * Bounded exact-match table from (connection id, space, sequence number) to a slot: the
 * content-addressable memory of the patent's two engines. It decides only which slot a key has.
 * Packets, payloads and transactions are stored elsewhere. The answer may be "full"; the table
 * never grows.
 *
 * <p>One entry holds 64 consecutive sequence numbers, the bits of one acknowledgement word. Its key
 * is (connection id, space, sequence ÷ 64). Its value is a row of 64 slot numbers out of a bounded
 * pool. So a window of 64 packets costs one operation of the hash map, and so does an acknowledged
 * word. The map is Agrona's {@link Long2LongHashMap}. It has room for every row from the start, so
 * it never rehashes.
 *
 * <p>A key is exact: its three parts fill 64 bits. A secret of the event loop scrambles it before
 * the map hashes it. The scrambling is one to one, so no key is lost, and a peer cannot choose keys
 * that collide. A removal leaves no tombstone: a table in use for days is as fast as a new one.
 *
 * <p>A row takes {@link #ROW_BYTES}. Rows are allocated in blocks of {@link #BLOCK_ROWS} when first
 * needed, and then reused. Confined to one event loop.
 */
public final class ContentAddressableMemory {
  /** Answer of {@link #lookup} and {@link #remove} for a missing key. */
  public static final int MISSING = -1;

  /** Upper limit of a table's capacity. */
  public static final int CAPACITY_MAX = 1 << 28;

  /** Number of spaces: a space is below it. */
  public static final int SPACES_MAX = 1 << 6;

  /** Sequence numbers in a row, starting at a multiple of this number. */
  static final int ROW_LENGTH = Long.SIZE;

  /** Bytes of a row: its slot numbers and one bit for each. */
  static final int ROW_BYTES = ROW_LENGTH * Integer.BYTES + Long.BYTES;

  /** Rows that are allocated together. */
  static final int BLOCK_ROWS = 64;

  private static final int ROW_SHIFT = Integer.numberOfTrailingZeros(ROW_LENGTH);
  private static final int BLOCK_SHIFT = Integer.numberOfTrailingZeros(BLOCK_ROWS);
  private static final float LOAD_FACTOR = 0.5f;
  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private final int capacity;
  private final int rowsMax;
  private final long secret;
  private final long multiplier;
  private final Long2LongHashMap rows;

  /** One bit for each number of a row that is in the table. */
  private final long[] taken;

  /** Slot numbers, row by row. The first one of a free row is the next free row. */
  private final int[][] blocks;

  private int size;
  private int rowsMade;
  private int rowsInUse;
  private int firstFree = MISSING;

  /** Row of the last lookup. The next lookup is most often in the same row. */
  private long lastKey;

  private int lastRow = MISSING;

  /** Creates an empty table without a limit of rows: each entry may have its own row. */
  public ContentAddressableMemory(int capacity, long secret) {
    this(capacity, capacity, secret);
  }

  /**
   * Creates an empty table.
   *
   * @param capacity entries it can hold, 1..2^28
   * @param rowsMax rows it can hold, 1..capacity
   * @param secret drawn at random
   */
  public ContentAddressableMemory(int capacity, int rowsMax, long secret) {
    require("capacity", capacity, 1, CAPACITY_MAX);
    require("rowsMax", rowsMax, 1, capacity);
    this.capacity = capacity;
    this.rowsMax = rowsMax;
    this.secret = secret;
    this.multiplier = secret * GOLDEN | 1;
    this.rows = new Long2LongHashMap(2 * rowsMax, LOAD_FACTOR, MISSING);
    this.taken = new long[rowsMax];
    this.blocks = new int[(rowsMax + BLOCK_ROWS - 1) / BLOCK_ROWS][];
  }

  /** Returns the slot of the key, or {@link #MISSING}. */
  public int lookup(int cid, int space, int sequence) {
    int row = row(key(cid, space, sequence));
    return row == MISSING || !isTaken(row, sequence) ? MISSING : block(row)[at(row, sequence)];
  }

  /**
   * Adds a key that is not in the table.
   *
   * @param slot ≥ 0
   * @return false, and nothing changed, when the table is full or already has the key
   */
  public boolean insert(int cid, int space, int sequence, int slot) {
    require("slot", slot, 0, Integer.MAX_VALUE);
    if (size == capacity) {
      return false;
    }
    long key = key(cid, space, sequence);
    int row = row(key);
    if (row == MISSING) {
      if (rowsInUse == rowsMax) {
        return false;
      }
      row = takeRow(key);
    } else if (isTaken(row, sequence)) {
      return false;
    }
    taken[row] |= 1L << sequence;
    block(row)[at(row, sequence)] = slot;
    size++;
    return true;
  }

  /** Removes a key. Returns its slot, or {@link #MISSING} when it was not in the table. */
  public int remove(int cid, int space, int sequence) {
    long key = key(cid, space, sequence);
    int row = row(key);
    if (row == MISSING || !isTaken(row, sequence)) {
      return MISSING;
    }
    int slot = block(row)[at(row, sequence)];
    clear(key, row, 1L << sequence);
    return slot;
  }

  /**
   * Removes the keys of up to 64 consecutive sequence numbers.
   *
   * @param firstSequence a multiple of 64
   * @param bits one bit for each key, from {@code firstSequence} on
   * @param removed receives the answer of {@link #remove} for each bit, in their order
   */
  public void removeAll(int cid, int space, int firstSequence, long bits, int[] removed) {
    assert firstSequence % ROW_LENGTH == 0 : "firstSequence=" + firstSequence;
    long key = key(cid, space, firstSequence);
    int row = row(key);
    long present = row == MISSING ? 0 : taken[row] & bits;
    if (present == 0) {
      Arrays.fill(removed, 0, Long.bitCount(bits), MISSING);
      return;
    }
    int[] slots = block(row);
    int first = at(row, 0);
    int count = 0;
    for (long left = bits; left != 0; left &= left - 1) {
      int i = Long.numberOfTrailingZeros(left);
      removed[count++] = (present >>> i & 1) != 0 ? slots[first + i] : MISSING;
    }
    clear(key, row, present);
  }

  /** Returns the entries in the table. */
  public int size() {
    return size;
  }

  /** Returns the most entries. */
  public int capacity() {
    return capacity;
  }

  /** Returns the most rows. */
  public int rowsMax() {
    return rowsMax;
  }

  /** Returns the unused rows. With none left, an entry that needs a new row is refused. */
  public int freeRows() {
    return rowsMax - rowsInUse;
  }

  /** Returns the places of the map, which never change. */
  int places() {
    return rows.capacity();
  }

  private int row(long key) {
    if (key == lastKey && lastRow != MISSING) {
      return lastRow;
    }
    int row = (int) rows.get(key);
    if (row != MISSING) {
      lastKey = key;
      lastRow = row;
    }
    return row;
  }

  private int takeRow(long key) {
    int row = firstFree;
    if (row != MISSING) {
      firstFree = block(row)[at(row, 0)];
    } else {
      row = rowsMade++;
      if ((row & BLOCK_ROWS - 1) == 0) {
        blocks[row >>> BLOCK_SHIFT] = new int[Math.min(BLOCK_ROWS, rowsMax - row) * ROW_LENGTH];
      }
    }
    rows.put(key, row);
    rowsInUse++;
    lastKey = key;
    lastRow = row;
    return row;
  }

  private void clear(long key, int row, long bits) {
    taken[row] &= ~bits;
    size -= Long.bitCount(bits);
    if (taken[row] == 0) {
      rows.remove(key);
      rowsInUse--;
      block(row)[at(row, 0)] = firstFree;
      firstFree = row;
      lastRow = MISSING;
    }
  }

  private boolean isTaken(int row, int sequence) {
    return (taken[row] >>> sequence & 1) != 0;
  }

  private int[] block(int row) {
    return blocks[row >>> BLOCK_SHIFT];
  }

  private static int at(int row, int sequence) {
    return (row & BLOCK_ROWS - 1) << ROW_SHIFT | sequence & ROW_LENGTH - 1;
  }

  /** Returns the map's key: one to one with its parts, and unpredictable without the secret. */
  long key(int cid, int space, int sequence) {
    assert space >= 0 && space < SPACES_MAX : "space=" + space + ", valid range 0..63";
    long exact = (long) cid << 32 | (long) space << 26 | sequence >>> ROW_SHIFT;
    return (exact ^ secret) * multiplier;
  }

  private static void require(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + "=" + value + ", valid range " + least + ".." + most);
    }
  }
}
