package io.rtransport.core.window;

import java.nio.ByteBuffer;

/**
 * Store of the bytes of all unacknowledged packets of one event loop, in one flat buffer. It
 * decides where a packet is built, who may have room, and when room is free again.
 *
 * <p>Memory is cut into <b>units</b> of 8 KiB; eight aligned units are a <b>block</b> of 64 KiB. A
 * connection ({@link Lease}) fills one <b>extent</b> after another: a unit while it has few
 * packets, and a block when it has more. Its packets lie end to end in the extent, so that a run of
 * packets is one contiguous GSO send. An extent is free again when all its packets are acknowledged
 * and no send of it is queued or in flight ({@link #pin}). A lease without packets holds nothing.
 *
 * <p>Sharing: a lease may have its first {@link #RESERVED_PACKETS} packets from any free unit.
 * Beyond them it holds at most a quarter of the store, or as much as is free if that is more: half
 * of it alone, a third of it beside one as greedy. It never takes the room that is reserved for
 * leases with less: four packets each, together at most half of the store. No room is an answer
 * ({@link #NONE}), never an exception. Loop-confined.
 */
public final class RetransmissionStore {
  /** No room now. */
  public static final int NONE = -1;

  public static final int UNIT_BYTES = 8 << 10;
  public static final int UNITS_PER_BLOCK = 8;
  public static final int BLOCK_BYTES = UNIT_BYTES * UNITS_PER_BLOCK;

  /** Packets that a connection can always have. */
  public static final int RESERVED_PACKETS = 4;

  /**
   * Units that only displaced records may take, in packets so short that nothing is displaced from
   * them again: however full the store is of such records, they can leave, and free what they lie
   * in.
   */
  static final int LAST_UNITS = 1;

  private final ByteBuffer memory;
  private final int unitCount;
  private final UnitAllocator units;

  // Per extent, under the number of its first unit: its token.
  private final int[] packetCounts;
  private final int[] pinCounts;
  private final byte[] unitCounts;

  private int reservedUnits;

  /**
   * @param memory big-endian, from index 0; direct where sockets are to send from it; at least one
   *     block, further whole blocks are used
   */
  public RetransmissionStore(ByteBuffer memory) {
    int blocks = memory.capacity() / BLOCK_BYTES;
    if (blocks < 1) {
      throw new IllegalArgumentException(
          "store=" + memory.capacity() + " bytes, valid: at least " + BLOCK_BYTES);
    }
    this.memory = memory;
    this.unitCount = blocks * UNITS_PER_BLOCK;
    this.units = new UnitAllocator(blocks);
    this.packetCounts = new int[unitCount];
    this.pinCounts = new int[unitCount];
    this.unitCounts = new byte[unitCount];
  }

  /**
   * Part of the store that one connection holds. Loop-confined. Call {@link #close} when the
   * connection ends.
   */
  static final class Lease {
    private final int reserveUnits;
    private int token = NONE;
    private int position;
    private int end;
    private boolean isLast;
    private int packetCount;
    private int unitCount;

    private Lease(int reserveUnits) {
      this.reserveUnits = reserveUnits;
    }

    int packetCount() {
      return packetCount;
    }

    /** Returns the token of the packet allocated last. */
    int token() {
      return token;
    }
  }

  /**
   * Returns a lease for a connection whose packets have up to {@code packetLengthMax} bytes,
   * 1..8,192.
   */
  Lease open(int packetLengthMax) {
    int packetsPerUnit = UNIT_BYTES / packetLengthMax;
    Lease lease = new Lease((RESERVED_PACKETS + packetsPerUnit - 1) / packetsPerUnit);
    reservedUnits += lease.reserveUnits;
    return lease;
  }

  /** Closes the lease: the connection ended, and its packets have been released. */
  void close(Lease lease) {
    assert lease.packetCount == 0 : "packets left in the lease: " + lease.packetCount;
    reservedUnits -= lease.reserveUnits;
  }

  /**
   * Finds room for a packet of up to {@code lengthMax} bytes behind the lease's last one, in a new
   * extent if need be. Nothing is taken before {@link #commit}.
   *
   * @param lengthMax 1..65,507; beyond a unit's 8 KiB there may be no room although there is for a
   *     shorter one
   * @return the index in {@link #memory}, or {@link #NONE}
   */
  int reserve(Lease lease, int lengthMax) {
    if (lease.token != NONE && lease.end - lease.position >= lengthMax && !lease.isLast) {
      return lease.position;
    }
    return openExtent(lease, lengthMax) ? lease.position : NONE;
  }

  /**
   * Reserves, as {@link #reserve} does, in a unit of its own, which may be the last, for a packet
   * from which nothing will be displaced.
   */
  int reserveLast(Lease lease, int lengthMax) {
    if (lease.token != NONE && lease.end - lease.position >= lengthMax && lease.isLast) {
      return lease.position;
    }
    int unit = units.takeUnit();
    if (unit == NONE) {
      return NONE;
    }
    open(lease, unit, 1);
    lease.isLast = true;
    return lease.position;
  }

  private boolean openExtent(Lease lease, int lengthMax) {
    int unit = NONE;
    int taken = 0;
    if (lengthMax > UNIT_BYTES) {
      if (mayHave(lease, UNITS_PER_BLOCK)) {
        unit = units.takeBlock();
        taken = UNITS_PER_BLOCK;
      }
    } else if (lease.packetCount >= RESERVED_PACKETS) {
      if (mayHave(lease, UNITS_PER_BLOCK)) {
        unit = units.takeBlock();
        taken = UNITS_PER_BLOCK;
      }
      if (unit == NONE && mayHave(lease, 1)) {
        unit = units.takeUnit();
        taken = 1;
      }
    } else if (units.freeCount() > LAST_UNITS) {
      unit = units.takeUnit();
      taken = 1;
    }
    if (unit == NONE) {
      return false;
    }
    open(lease, unit, taken);
    lease.isLast = false;
    return true;
  }

  private void open(Lease lease, int unit, int taken) {
    leave(lease);
    lease.token = unit;
    lease.position = unit * UNIT_BYTES;
    lease.end = lease.position + taken * UNIT_BYTES;
    lease.unitCount += taken;
    unitCounts[unit] = (byte) taken;
  }

  /**
   * Returns whether a lease that has its first packets may have {@code more}: at most a quarter of
   * the store or as much as is free, and never what is reserved for others.
   */
  private boolean mayHave(Lease lease, int more) {
    int reserved = Math.min(reservedUnits, unitCount >> 1);
    int free = units.freeCount() - more;
    return lease.unitCount + more <= Math.max(Math.max(1, unitCount >> 2), free)
        && free >= reserved + LAST_UNITS;
  }

  /** Leaves the open extent as it is. One that was opened and never used is given back. */
  private void leave(Lease lease) {
    if (lease.token != NONE && packetCounts[lease.token] == 0) {
      free(lease, lease.token);
    }
  }

  /**
   * Takes {@code length} bytes at the index given by the last {@link #reserve}: the packet has been
   * built. Returns its token.
   */
  int commit(Lease lease, int length) {
    lease.position += length;
    lease.packetCount++;
    packetCounts[lease.token]++;
    return lease.token;
  }

  /**
   * Gives the last {@link #reserve} back unused: an extent opened for it and still empty is given
   * back.
   */
  void abandon(Lease lease) {
    if (lease.token != NONE && packetCounts[lease.token] == 0) {
      int token = lease.token;
      lease.token = NONE;
      free(lease, token);
    }
  }

  /** Releases a packet of the lease: it was acknowledged, or its connection ended. */
  void release(Lease lease, int token) {
    lease.packetCount--;
    if (--packetCounts[token] > 0) {
      return;
    }
    if (lease.token == token) {
      lease.token = NONE;
    }
    free(lease, token);
  }

  /** Keeps the bytes under this token until {@link #unhold}, also without packets. */
  void hold(int token) {
    packetCounts[token]++;
  }

  /** Undoes one {@link #hold}. */
  void unhold(Lease lease, int token) {
    lease.packetCount++; // it was no packet
    release(lease, token);
  }

  private void free(Lease lease, int token) {
    // The lease's account ends here, the memory's when the last send of it is over.
    lease.unitCount -= unitCounts[token];
    if (pinCounts[token] == 0) {
      units.give(token, unitCounts[token]);
    }
  }

  /**
   * Keeps the bytes under this token as they are until {@link #unpin}: a send of them is queued or
   * in flight.
   */
  public void pin(int token) {
    pinCounts[token]++;
  }

  /** Undoes one {@link #pin}. May come after the connection has ended. */
  public void unpin(int token) {
    if (--pinCounts[token] == 0 && packetCounts[token] == 0) {
      units.give(token, unitCounts[token]);
    }
  }

  /** Returns whether a send of bytes under this token is queued or in flight. */
  public boolean isPinned(int token) {
    return pinCounts[token] > 0;
  }

  /** Returns the memory; absolute access only. */
  public ByteBuffer memory() {
    return memory;
  }

  /** Units that no packet and no send holds. */
  public int freeUnits() {
    return units.freeCount();
  }

  /** Returns the units that are reserved for the leases that are open. */
  public int reservedUnits() {
    return reservedUnits;
  }

  /** Returns the number of all units. */
  public int unitCount() {
    return unitCount;
  }
}
