package io.rtransport.core.transaction;

/**
 * The peer's small pushes that the application has and has not answered, one number each. Almost
 * all of them are acknowledged in order, and until then nothing else of them is needed. A window
 * full of them then costs 8 bytes each instead of a {@link Transaction} each, which would leave the
 * processor's nearest caches.
 *
 * <p>A ring by the low bits of the RSN. A push whose place is taken, or of which more must be
 * known, is a transaction of the {@link TransactionTable}.
 *
 * <p>Layout of a number: RSN (32) | present (1) | unawaited (1) | held (1) | 0 (12) | length (17).
 */
final class DeliveredPushes {
  /** Longest push that may stand here, bytes: longer than a datagram. */
  static final int LENGTH_MAX = (1 << 17) - 1;

  /** Answer of {@link #find}: it is not here. */
  static final long NONE = 0;

  private static final int FIRST_CAPACITY = 64;
  private static final long PRESENT = 1L << 31;
  private static final long UNAWAITED = 1L << 30;
  private static final long HELD = 1L << 29;

  private final int capacityMax;
  private long[] ring = {}; // empty before the first push
  private int size;

  DeliveredPushes(int capacityMax) {
    this.capacityMax = Math.max(FIRST_CAPACITY, capacityMax);
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /**
   * Adds a push.
   *
   * @param lengthBytes 0..{@link #LENGTH_MAX}
   * @param isHeld whether its bytes keep their credit
   * @return false when its place is taken
   */
  boolean add(int rsn, int lengthBytes, boolean isHeld, boolean isUnawaited) {
    if (ring.length == 0) {
      ring = new long[FIRST_CAPACITY];
    }
    while (ring[at(rsn)] != NONE) {
      // As in the table: a peer that chooses its RSNs cannot make a ring that is mostly empty.
      if (ring.length >= capacityMax || size <= ring.length >> 2) {
        return false;
      }
      grow();
    }
    ring[at(rsn)] =
        (long) rsn << Integer.SIZE
            | PRESENT
            | (isUnawaited ? UNAWAITED : 0)
            | (isHeld ? HELD : 0)
            | lengthBytes;
    size++;
    return true;
  }

  private void grow() {
    long[] old = ring;
    ring = new long[2 * old.length];
    for (long push : old) {
      if (push != NONE) {
        // Two RSNs that differed in their low bits still do, so no two meet here.
        ring[at(rsnOf(push))] = push;
      }
    }
  }

  private int at(int rsn) {
    return rsn & ring.length - 1;
  }

  /** Returns the push of that RSN, for the methods below; {@link #NONE} when it is not here. */
  long find(int rsn) {
    if (size == 0) {
      return NONE;
    }
    long push = ring[at(rsn)];
    return push != NONE && rsnOf(push) == rsn ? push : NONE;
  }

  /** Removes a push that is here. */
  void remove(int rsn) {
    ring[at(rsn)] = NONE;
    size--;
  }

  /** Returns how many places the ring has. */
  int places() {
    return ring.length;
  }

  /** Returns the push at one of them; {@link #NONE} when it is free. */
  long pushAt(int place) {
    return ring[place];
  }

  static int rsnOf(long push) {
    return (int) (push >>> Integer.SIZE);
  }

  static int lengthOf(long push) {
    return (int) push & LENGTH_MAX;
  }

  /** Returns how many bytes of credit it holds. */
  static int heldBytesOf(long push) {
    return (push & HELD) == 0 ? 0 : lengthOf(push);
  }

  static boolean isUnawaited(long push) {
    return (push & UNAWAITED) != 0;
  }
}
