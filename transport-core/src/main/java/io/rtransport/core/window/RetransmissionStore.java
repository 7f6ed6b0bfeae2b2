package io.rtransport.core.window;

import java.nio.ByteBuffer;

/**
 * The bytes of all unacknowledged packets of one event loop, in one flat buffer. It decides where a
 * packet is built, which connection may have room, and when room is free again.
 *
 * <p>Memory is divided into <b>units</b> of 8 KiB; eight aligned units are a <b>block</b> of 64
 * KiB. A connection ({@link Lease}) fills one <b>extent</b> after another. An extent is a unit
 * while the connection has few packets, else a block. Packets follow each other in it without gaps,
 * so that a run of packets is one contiguous GSO send. An extent is free again when all its packets
 * are acknowledged and no send of it is queued or in flight ({@link #pin}). A lease without packets
 * holds nothing.
 *
 * <p>Sharing: a lease may have its first {@link #RESERVED_PACKETS} packets from any free unit.
 * Beyond them it holds at most a quarter of the store, or as much as is free if that is more. So
 * one lease alone gets half of the store; beside another equally greedy one it gets a third. It
 * also leaves the room reserved for leases that have less: four packets each, together at most half
 * of the store. The answer to no room is {@link #NONE}, never an exception. Loop-confined.
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
   * Units that only displaced records may take. They leave in packets so short that nothing is
   * displaced from them again. So displaced records can leave and free their memory even if they
   * fill the store.
   */
  static final int LAST_UNITS = 1;

  private final ByteBuffer memory;
  private final int unitCount;
  private final UnitAllocator units;

  // Arrays by the number of an extent's first unit, which is its token.
  private final int[] packetCounts;
  private final int[] pinCounts;
  private final byte[] unitCounts;

  private int reservedUnits;

  /**
   * Creates a store.
   *
   * @param memory big-endian, used from index 0; direct if sockets send from it; at least one
   *     block, and only whole blocks are used
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
   * The part of the store that one connection holds. Loop-confined. {@link #close} it when the
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
   * Opens a lease for a connection whose packets have up to {@code packetLengthMax} bytes,
   * 1..8,192.
   */
  Lease open(int packetLengthMax) {
    int packetsPerUnit = UNIT_BYTES / packetLengthMax;
    Lease lease = new Lease((RESERVED_PACKETS + packetsPerUnit - 1) / packetsPerUnit);
    reservedUnits += lease.reserveUnits;
    return lease;
  }

  /** Closes the lease of a connection that ended. All its packets must have been released. */
  void close(Lease lease) {
    assert lease.packetCount == 0 : "packets left in the lease: " + lease.packetCount;
    reservedUnits -= lease.reserveUnits;
  }

  /**
   * Finds room for a packet of up to {@code lengthMax} bytes behind the lease's last packet, or in
   * a new extent. Nothing is taken before {@link #commit}.
   *
   * @param lengthMax 1..65,507; above a unit's 8 KiB there may be no room although a shorter packet
   *     has room
   * @return the index in {@link #memory}, or {@link #NONE}
   */
  int reserve(Lease lease, int lengthMax) {
    if (lease.token != NONE && lease.end - lease.position >= lengthMax && !lease.isLast) {
      return lease.position;
    }
    return openExtent(lease, lengthMax) ? lease.position : NONE;
  }

  /**
   * Finds room in a unit of its own, which may be the last one, for a packet from which nothing
   * will be displaced.
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
   * Returns whether a lease beyond its first packets may have {@code more} units. The limit is a
   * quarter of the store or as much as is free. Units reserved for others are never available.
   */
  private boolean mayHave(Lease lease, int more) {
    int reserved = Math.min(reservedUnits, unitCount >> 1);
    int free = units.freeCount() - more;
    return lease.unitCount + more <= Math.max(Math.max(1, unitCount >> 2), free)
        && free >= reserved + LAST_UNITS;
  }

  /** Leaves the open extent. An extent that was opened and never used is given back. */
  private void leave(Lease lease) {
    if (lease.token != NONE && packetCounts[lease.token] == 0) {
      free(lease, lease.token);
    }
  }

  /**
   * Takes {@code length} bytes at the index given by the last {@link #reserve}, where the packet
   * has been built. Returns its token.
   */
  int commit(Lease lease, int length) {
    lease.position += length;
    lease.packetCount++;
    packetCounts[lease.token]++;
    return lease.token;
  }

  /**
   * Undoes the last {@link #reserve}. An extent that was opened for it and is still empty is given
   * back.
   */
  void abandon(Lease lease) {
    if (lease.token != NONE && packetCounts[lease.token] == 0) {
      int token = lease.token;
      lease.token = NONE;
      free(lease, token);
    }
  }

  /** Releases a packet of the lease that was acknowledged, or whose connection ended. */
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

  /** Keeps the memory under this token in use, apart from its packets, until {@link #unhold}. */
  void hold(int token) {
    packetCounts[token]++;
  }

  /** Undoes one {@link #hold}. */
  void unhold(Lease lease, int token) {
    lease.packetCount++; // a hold was not counted as a packet
    release(lease, token);
  }

  private void free(Lease lease, int token) {
    // The lease gives the extent up now. The memory is free when its last send is over.
    lease.unitCount -= unitCounts[token];
    if (pinCounts[token] == 0) {
      units.give(token, unitCounts[token]);
    }
  }

  /**
   * Keeps the bytes under this token unchanged until {@link #unpin}, because a send of them is
   * queued or in flight.
   */
  public void pin(int token) {
    pinCounts[token]++;
  }

  /** Undoes one {@link #pin}. May be called after the connection has ended. */
  public void unpin(int token) {
    if (--pinCounts[token] == 0 && packetCounts[token] == 0) {
      units.give(token, unitCounts[token]);
    }
  }

  /** Returns whether a send of bytes under this token is queued or in flight. */
  public boolean isPinned(int token) {
    return pinCounts[token] > 0;
  }

  /** Returns the memory of the store. Use absolute access only. */
  public ByteBuffer memory() {
    return memory;
  }

  /** Returns the units that no packet and no send holds. */
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
