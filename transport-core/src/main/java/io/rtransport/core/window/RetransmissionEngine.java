package io.rtransport.core.window;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.wire.WindowClass;

/**
 * The retransmission engine of one event loop (patent, Fig. 7, 704). CAM a finds the in-flight slot
 * of an exact (CID, window, PSN). Flat arrays beside it are the slot tables. They hold the packet's
 * place, when and how it was last sent, and why it will be resent. The engine decides which
 * connection may have a slot. It knows no window and no timer.
 *
 * <p>Slots are shared like the store. A connection can have its first four slots from any free
 * ones. Beyond them it leaves the slots reserved for others, and holds at most a quarter. A CAM row
 * serves up to 64 consecutive packets. Rows are shared the same way, as if each packet needed one
 * more. All slot numbers are below {@link #capacity}. Loop-confined. No call allocates, except that
 * the CAM allocates when it uses a row for the first time.
 */
public final class RetransmissionEngine {
  /** No slot, or no link. */
  static final int NONE = -1;

  /** Reason why a slot was or will be resent. */
  enum Resend {
    NO,
    EARLY,
    PROBE,
    TIMEOUT,
    /** Its path became suspect, or was closed. */
    MOVED
  }

  private static final WindowClass[] WINDOWS = WindowClass.values();
  private static final Resend[] RESENDS = Resend.values();

  private final ContentAddressableMemory cam;
  private final RetransmissionStore store;
  private final int capacity;

  // Identity, and the place of the bytes. Enums are stored as numbers. A reference stored into an
  // old array costs the collector's barrier for every packet.
  private final int[] psns;
  private final byte[] windows;
  private final int[] offsets;
  private final short[] lengths;
  private final int[] tokens;

  // The last transmission.
  private final int[] pathIndexes;
  private final int[] sequences;
  private final long[] firstSentNs;
  private final long[] lastSentNs;
  private final short[] resendCounts;
  private final byte[] lastResends;

  // The next action. A slot that is free, or was sent and not queued again, has Resend.NO.
  private final byte[] pendingResends;
  private final boolean[] lost;

  /** Slots of the word that is being retired. */
  private final int[] removed = new int[Long.SIZE];

  // Next slot of a free slot; neighbours of a queued slot in its connection's resend queue.
  private final int[] next;
  private final int[] previous;

  private int firstFree;
  private int freeCount;
  private int reservedSlots;

  /**
   * Creates the engine of one event loop.
   *
   * @param cam used by this engine only; its capacity is the most packets in flight on the whole
   *     event loop
   * @param store the store of the packets' bytes
   */
  public RetransmissionEngine(ContentAddressableMemory cam, RetransmissionStore store) {
    this.cam = cam;
    this.store = store;
    this.capacity = cam.capacity();
    psns = new int[capacity];
    windows = new byte[capacity];
    offsets = new int[capacity];
    lengths = new short[capacity];
    tokens = new int[capacity];
    pathIndexes = new int[capacity];
    sequences = new int[capacity];
    firstSentNs = new long[capacity];
    lastSentNs = new long[capacity];
    resendCounts = new short[capacity];
    lastResends = new byte[capacity];
    pendingResends = new byte[capacity];
    lost = new boolean[capacity];
    next = new int[capacity];
    previous = new int[capacity];
    for (int slot = 0; slot < capacity; slot++) {
      next[slot] = slot + 1;
    }
    next[capacity - 1] = NONE;
    firstFree = 0;
    freeCount = capacity;
  }

  /** Returns the slots, and so the most packets in flight, of the whole event loop. */
  public int capacity() {
    return capacity;
  }

  /** Returns the packets of all connections that are in flight now. */
  public int inFlightCount() {
    return capacity - freeCount;
  }

  /** Returns the store of the packets' bytes. */
  public RetransmissionStore store() {
    return store;
  }

  RetransmissionStore.Lease open(int packetLengthMax) {
    reservedSlots += RetransmissionStore.RESERVED_PACKETS;
    return store.open(packetLengthMax);
  }

  void close(RetransmissionStore.Lease lease) {
    reservedSlots -= RetransmissionStore.RESERVED_PACKETS;
    store.close(lease);
  }

  /**
   * Finds room for one more packet. Returns its index in the store's memory, or NONE if the store,
   * the slots or the CAM are full.
   */
  int reserve(RetransmissionStore.Lease lease, int lengthMax) {
    int held = lease.packetCount();
    if (held < RetransmissionStore.RESERVED_PACKETS) {
      return hasRoom() ? store.reserve(lease, lengthMax) : NONE;
    }
    boolean mayHave =
        held < capacity >> 2
            && freeCount > Math.min(reservedSlots, capacity >> 1)
            && cam.freeRows() > Math.min(reservedSlots, cam.rowsMax() >> 1);
    return mayHave ? store.reserve(lease, lengthMax) : NONE;
  }

  /**
   * Finds room in the units kept for displaced records. It is for a connection with almost nothing
   * in flight that could free room.
   */
  int reserveLast(RetransmissionStore.Lease lease, int lengthMax) {
    boolean mayHave = lease.packetCount() < RetransmissionStore.RESERVED_PACKETS && hasRoom();
    return mayHave ? store.reserveLast(lease, lengthMax) : NONE;
  }

  private boolean hasRoom() {
    return freeCount > 0 && cam.freeRows() > 0;
  }

  /** Undoes the last {@link #reserve}. */
  void abandon(RetransmissionStore.Lease lease) {
    store.abandon(lease);
  }

  /**
   * Completes the packet at the index given by {@link #reserve}. Takes its bytes, a slot and a CAM
   * entry, and returns the slot.
   */
  int commit(
      RetransmissionStore.Lease lease,
      int cid,
      WindowClass windowClass,
      int psn,
      int offset,
      int length) {
    int slot = firstFree;
    firstFree = next[slot];
    freeCount--;
    psns[slot] = psn;
    windows[slot] = (byte) windowClass.ordinal();
    offsets[slot] = offset;
    lengths[slot] = (short) length;
    tokens[slot] = store.commit(lease, length);
    resendCounts[slot] = 0;
    boolean inserted = cam.insert(cid, windowClass.ordinal(), psn, slot);
    assert inserted : "reserve() saw a free row";
    return slot;
  }

  /** Returns the in-flight slot of a packet, or NONE. */
  int lookup(int cid, WindowClass windowClass, int psn) {
    return cam.lookup(cid, windowClass.ordinal(), psn);
  }

  /**
   * Removes a packet's entry from the CAM, because it was acknowledged or its connection ends.
   * Returns its slot for {@link #free}, or NONE.
   */
  int remove(int cid, WindowClass windowClass, int psn) {
    return cam.remove(cid, windowClass.ordinal(), psn);
  }

  /**
   * Removes the packets of one word from the CAM, like {@link #remove}. All of them must be in
   * flight.
   *
   * @param wordPsn the PSN of bit 0, a multiple of 64
   * @param bits one bit for each packet to remove
   * @return their slots in the order of their PSNs, as many as there are bits; valid until the next
   *     call
   */
  int[] removeWord(int cid, WindowClass windowClass, int wordPsn, long bits) {
    cam.removeAll(cid, windowClass.ordinal(), wordPsn, bits, removed);
    return removed;
  }

  /** Gives back the slot and the bytes of a packet that was {@link #remove}d. */
  void free(RetransmissionStore.Lease lease, int slot) {
    store.release(lease, tokens[slot]);
    next[slot] = firstFree;
    firstFree = slot;
    freeCount++;
  }

  /**
   * Scans a connection's packets in flight on a timer expiry (patent: the engine is scanned for the
   * connection's packets). The CAM keeps 64 consecutive numbers in a row, so the scan goes through
   * the window in order.
   *
   * @param from the first PSN; the scan ends before {@code to}
   * @return the first slot at or after {@code from} whose last transmission took the path and is
   *     not {@code except}, or NONE
   */
  int scan(int cid, WindowClass windowClass, int from, int to, int pathIndex, int except) {
    for (int psn = from; psn != to; psn++) {
      int slot = cam.lookup(cid, windowClass.ordinal(), psn);
      if (slot >= 0 && slot != except && pathIndexes[slot] == pathIndex) {
        return slot;
      }
    }
    return NONE;
  }

  /** Records that the packet was given to a path. */
  void onSent(int slot, int pathIndex, int sequence, Resend kind, long nowNs) {
    pathIndexes[slot] = pathIndex;
    sequences[slot] = sequence;
    lastSentNs[slot] = nowNs;
    lastResends[slot] = (byte) kind.ordinal();
    lost[slot] = false;
    if (kind == Resend.NO) {
      firstSentNs[slot] = nowNs;
    } else if (resendCounts[slot] < Short.MAX_VALUE) {
      resendCounts[slot]++;
    }
  }

  int psn(int slot) {
    return psns[slot];
  }

  WindowClass windowClass(int slot) {
    return WINDOWS[windows[slot]];
  }

  int offset(int slot) {
    return offsets[slot];
  }

  int length(int slot) {
    return lengths[slot] & 0xFFFF;
  }

  /** Sets the length of a packet that was shortened in place. */
  void length(int slot, int length) {
    lengths[slot] = (short) length;
  }

  int token(int slot) {
    return tokens[slot];
  }

  /** Returns the path index of the last transmission. */
  int pathIndex(int slot) {
    return pathIndexes[slot];
  }

  /** Returns the last transmission's sequence on its path, in the path's own 32-bit count. */
  int sequence(int slot) {
    return sequences[slot];
  }

  long firstSentNs(int slot) {
    return firstSentNs[slot];
  }

  long lastSentNs(int slot) {
    return lastSentNs[slot];
  }

  boolean isResent(int slot) {
    return resendCounts[slot] > 0;
  }

  boolean isResentOnce(int slot) {
    return resendCounts[slot] == 1;
  }

  /** Returns the reason for the last transmission; NO for the first. */
  Resend lastResend(int slot) {
    return RESENDS[lastResends[slot]];
  }

  /** Returns why the slot is in its connection's resend queue; NO if it is not. */
  Resend pendingResend(int slot) {
    return RESENDS[pendingResends[slot]];
  }

  void pendingResend(int slot, Resend kind) {
    pendingResends[slot] = (byte) kind.ordinal();
  }

  /** Returns whether the last transmission was judged lost, so that its bytes are not in flight. */
  boolean isLost(int slot) {
    return lost[slot];
  }

  void lost(int slot) {
    lost[slot] = true;
  }

  int next(int slot) {
    return next[slot];
  }

  void next(int slot, int other) {
    next[slot] = other;
  }

  int previous(int slot) {
    return previous[slot];
  }

  void previous(int slot, int other) {
    previous[slot] = other;
  }
}
