package io.rtransport.core.queue;

/**
 * Ring of bytes that an event loop copies for a consumer: the messages of peers. The loop reserves
 * and writes, the consumer reads and frees, in the same order. The entries of a {@link
 * CompletionQueue} say where; they carry the order of memory too.
 */
public final class InboundBytes {
  /** Answer of {@link #tryReserve}: there is no room now. */
  public static final long NO_ROOM = -1;

  private static final int FREED = 0;
  private static final long POSITION_MASK = 0xFFFF_FFFFL;

  private final SharedWords words = new SharedWords(1);
  private final byte[] bytes;
  private int position;
  private int freedSeen;

  /**
   * Creates an empty ring.
   *
   * @param bytesMax bytes, a power of two from 64 to {@link SubmissionRing#BYTES_MAX}
   * @throws IllegalArgumentException if it is outside its range
   */
  public InboundBytes(int bytesMax) {
    this(bytesMax, 0);
  }

  /** Creates an empty ring that has had so many bytes before: their number wraps. */
  InboundBytes(int bytesMax, int firstPosition) {
    Bounds.check("bytesMax", bytesMax, 64, SubmissionRing.BYTES_MAX);
    if (Integer.bitCount(bytesMax) != 1) {
      throw new IllegalArgumentException("bytesMax=" + bytesMax + " is not a power of two");
    }
    bytes = new byte[bytesMax];
    position = firstPosition;
    freedSeen = firstPosition;
    words.setVolatile(FREED, position);
  }

  /** Returns the array that holds all bytes. */
  public byte[] bytes() {
    return bytes;
  }

  // ---- the event loop

  /**
   * Returns whether {@code length} bytes have room wherever the ring stands now. The event loop.
   */
  public boolean hasRoom(int length) {
    int end = endOf(length);
    if (end - freedSeen <= bytes.length) {
      return true;
    }
    freedSeen = (int) words.getAcquire(FREED);
    return end - freedSeen <= bytes.length;
  }

  /**
   * Reserves bytes that stand side by side. The event loop.
   *
   * @return a place, for {@link #offsetOf} and {@link #free}, never negative; or {@link #NO_ROOM}
   */
  public long tryReserve(int length) {
    if (!hasRoom(length)) {
      return NO_ROOM;
    }
    int end = endOf(length);
    int offset = end - length & bytes.length - 1;
    position = end;
    return (long) offset << Integer.SIZE | end & POSITION_MASK;
  }

  private int endOf(int length) {
    int index = position & bytes.length - 1;
    int start = index + length <= bytes.length ? position : position + bytes.length - index;
    return start + length;
  }

  // ---- both

  /** Returns where in {@link #bytes} a place begins. */
  public static int offsetOf(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  // ---- the consumer

  /** Frees a place, and all before it. The consumer. */
  public void free(long place) {
    words.setRelease(FREED, (int) place);
  }
}
