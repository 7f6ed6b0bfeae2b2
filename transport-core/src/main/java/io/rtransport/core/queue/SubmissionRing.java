package io.rtransport.core.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Ring of what the threads of an application submit to one connection. Many threads put, and the
 * connection's event loop takes, in the order of the claims.
 *
 * <p>A record has fixed fields, and bytes that the submitter copied into the ring, or an object
 * that it lent. Room for both is claimed by one word. A submitter claims an entry of the {@link
 * CompletionQueue} before ({@link CompletionQueue#tryPost}).
 *
 * <p>The loop may {@link #end} a record behind others that wait: it was cancelled, or its deadline
 * has passed. Its entry is stored then, but its place is free only when those before it are taken.
 *
 * <p>A thread that was stopped between claim and {@link #publish} holds up the records behind its
 * own, and nothing else: the loop goes on when it is published, by the submitter's {@link
 * Doorbell}.
 *
 * <p>Layout of a record, four longs:
 *
 * <pre>
 *   0  number of the record + 1: it is published
 *   1  tag
 *   2  header length (16) | kind (8) | ended (1) | deadline (1) | offset of its bytes (32)
 *   3  length
 * </pre>
 */
public final class SubmissionRing {
  /** Answer of {@link #tryClaim}: the bytes have no room now. */
  public static final long NO_ROOM = -1;

  /** Largest number of bytes that a ring holds. */
  public static final int BYTES_MAX = 1 << 28;

  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int ALIGNMENT = 8;
  private static final int RECORD_SHIFT = 2;
  private static final int TAG = 1;
  private static final int SHAPE = 2;
  private static final int LENGTH = 3;
  private static final int HEADER_SHIFT = 48;
  private static final int KIND_SHIFT = 40;
  private static final int FLAGS_SHIFT = 32;
  private static final int KIND_AND_FLAGS = 0xFFFF;
  private static final int FLAGS = 0xFF;
  private static final int HAS_DEADLINE = 1;
  private static final int HAS_ENDED = 1 << 1;
  private static final long NUMBER_MASK = 0x7FFF_FFFFL;
  private static final long POSITION_MASK = 0xFFFF_FFFFL;

  // Shared words. CLAIMED and FREED: number of the next record (31) | position of its bytes (32).
  private static final int CLAIMED = 0;
  private static final int FREED = 1;
  private static final int FREED_SEEN = 2;
  private static final int WORDS = 3;

  private final SharedWords words = new SharedWords(WORDS);
  private final long[] records;
  private final AtomicReference<long[]> deadlines = new AtomicReference<>(); // null: none yet
  private final Object[] lent;
  private final byte[] bytes;
  private final int mask;

  // The event loop's.
  private long head;
  private int position;

  /**
   * Creates an empty ring.
   *
   * @param recordsMax most records, as many as the completion queue has posted entries
   * @param bytesMax bytes, a power of two from 64 to {@link #BYTES_MAX}
   * @throws IllegalArgumentException if a number is outside its range
   */
  public SubmissionRing(int recordsMax, int bytesMax) {
    this(recordsMax, bytesMax, 0, 0);
  }

  /** Creates an empty ring that has had so many records and bytes before: both wrap. */
  SubmissionRing(int recordsMax, int bytesMax, int firstNumber, int firstPosition) {
    Bounds.check("recordsMax", recordsMax, 1, CompletionQueue.CAPACITY_MAX);
    Bounds.check("bytesMax", bytesMax, 64, BYTES_MAX);
    if (Integer.bitCount(bytesMax) != 1) {
      throw new IllegalArgumentException("bytesMax=" + bytesMax + " is not a power of two");
    }
    int length = Integer.highestOneBit(2 * recordsMax - 1);
    mask = length - 1;
    records = new long[length << RECORD_SHIFT];
    lent = new Object[length];
    bytes = new byte[bytesMax];
    head = firstNumber;
    position = firstPosition;
    words.setVolatile(CLAIMED, taken());
    words.setVolatile(FREED, taken());
    words.setVolatile(FREED_SEEN, taken());
  }

  /** Returns the longest run of bytes that one record may have: an eighth of all. */
  public int lengthMax() {
    return bytes.length / ALIGNMENT;
  }

  // ---- any thread

  /**
   * Claims a record and room for {@code length} bytes. The caller has an entry of the completion
   * queue, and publishes the record soon: those behind it wait.
   *
   * @param length 0..{@link #lengthMax}
   * @return the claim, or {@link #NO_ROOM}
   */
  public long tryClaim(int length) {
    for (; ; ) {
      long claimed = words.getAcquire(CLAIMED);
      int start = startOf((int) claimed, length);
      int end = start + alignedLength(length);
      long seen = words.getAcquire(FREED_SEEN);
      if (isFull(claimed, end, seen)) {
        long freed = words.getAcquire(FREED);
        if (isFull(claimed, end, freed)) {
          return NO_ROOM;
        }
        words.compareAndSet(FREED_SEEN, seen, freed); // Else another thread has seen more.
      }
      long next = claimed >>> Integer.SIZE & NUMBER_MASK;
      long after = (next + 1 & NUMBER_MASK) << Integer.SIZE | end & POSITION_MASK;
      if (words.compareAndSet(CLAIMED, claimed, after)) {
        return next << Integer.SIZE | start & POSITION_MASK;
      }
    }
  }

  private boolean isFull(long claimed, int end, long freed) {
    int records = (int) (claimed >>> Integer.SIZE) - (int) (freed >>> Integer.SIZE) << 1 >> 1;
    return records > mask || end - (int) freed > bytes.length;
  }

  /**
   * Returns where the bytes begin: at their position, or at the array's begin if they end there.
   */
  private int startOf(int from, int length) {
    int index = from & bytes.length - 1;
    return index + length <= bytes.length ? from : from + bytes.length - index;
  }

  private static int alignedLength(int length) {
    return length + ALIGNMENT - 1 & -ALIGNMENT;
  }

  /** Returns the array that holds the bytes of all records. */
  public byte[] bytes() {
    return bytes;
  }

  /** Returns where in {@link #bytes} the bytes of a claim begin. */
  public int offsetOf(long claim) {
    return (int) claim & bytes.length - 1;
  }

  /**
   * Publishes the record of a claim. Then the caller rings.
   *
   * @param kind 0..255, defined by the caller
   * @param tag any value
   * @param headerLength how many of its bytes are a header, 0..65,535
   * @param length any value
   * @param object what is lent, or null
   */
  public void publish(
      long claim, int kind, long tag, int headerLength, long length, Object object) {
    put(claim, kind << Byte.SIZE, tag, headerLength, length, object);
  }

  /**
   * Publishes the record of a claim as {@link #publish} does, with a deadline.
   *
   * @param deadlineNs ns on the loop's clock
   */
  public void publishWithDeadline(
      long claim,
      int kind,
      long tag,
      int headerLength,
      long length,
      Object object,
      long deadlineNs) {
    if (deadlines.get() == null) {
      deadlines.compareAndSet(null, new long[mask + 1]);
    }
    deadlines.get()[(int) (claim >>> Integer.SIZE) & mask] = deadlineNs;
    put(claim, kind << Byte.SIZE | HAS_DEADLINE, tag, headerLength, length, object);
  }

  private void put(
      long claim, int kindAndFlags, long tag, int headerLength, long length, Object object) {
    long number = claim >>> Integer.SIZE;
    int slot = (int) number & mask;
    int at = slot << RECORD_SHIFT;
    if (object != null) {
      lent[slot] = object;
    }
    records[at + TAG] = tag;
    records[at + SHAPE] =
        (long) headerLength << HEADER_SHIFT | (long) kindAndFlags << FLAGS_SHIFT | offsetOf(claim);
    records[at + LENGTH] = length;
    LONGS.setRelease(records, at, number + 1);
  }

  /** Returns how many records were claimed so far, in 31 bits. Any thread. */
  public int claimed() {
    return (int) (words.getAcquire(CLAIMED) >>> Integer.SIZE & NUMBER_MASK);
  }

  // ---- the event loop

  /** Returns whether the next record is published. */
  public boolean hasNext() {
    return isPublished((int) head);
  }

  /** Returns whether no record is claimed that was not taken. */
  public boolean isEmpty() {
    return claimed() == (int) head;
  }

  /** Returns the number of the next record, in 31 bits. */
  public int next() {
    return (int) head;
  }

  private int at() {
    return at((int) head);
  }

  private int at(int number) {
    return (number & mask) << RECORD_SHIFT;
  }

  /** Returns the kind of the next record. */
  public int kind() {
    return kind((int) head);
  }

  /** Returns whether the next record is of this kind, has no deadline, and has not ended. */
  public boolean isPlain(int kind) {
    return ((int) (records[at() + SHAPE] >>> FLAGS_SHIFT) & KIND_AND_FLAGS) == kind << Byte.SIZE;
  }

  /** Returns whether the next record has ended: nothing of it is to be done. */
  public boolean isEnded() {
    return (flags((int) head) & HAS_ENDED) != 0;
  }

  /** Returns the tag of the next record. */
  public long tag() {
    return records[at() + TAG];
  }

  /** Returns the length of the next record, as it was published. */
  public long length() {
    return records[at() + LENGTH];
  }

  /** Returns how many bytes of the next record are its header: they stand first. */
  public int headerLength() {
    return (int) (records[at() + SHAPE] >>> HEADER_SHIFT);
  }

  /** Returns where in {@link #bytes} those of the next record begin. */
  public int offset() {
    return (int) records[at() + SHAPE];
  }

  /** Returns what was lent with the next record, or null. */
  public Object lent() {
    return lent[(int) head & mask];
  }

  // ---- the event loop, on any record that waits

  /** Returns how many records stand from {@code from} to {@code to}, both in 31 bits. */
  public static int distance(int from, int to) {
    return to - from & (int) NUMBER_MASK;
  }

  /** Returns whether a record is published, of one that was claimed and not taken. */
  public boolean isPublished(int number) {
    return (long) LONGS.getAcquire(records, at(number)) == number + 1L;
  }

  /** Returns whether a record was claimed, is published, has not ended, and was not taken. */
  public boolean isWaiting(int number) {
    return distance((int) head, number) < distance((int) head, claimed())
        && isPublished(number)
        && (flags(number) & HAS_ENDED) == 0;
  }

  /** Returns whether a record was published with a deadline since the ring was made. */
  public boolean hasDeadlines() {
    return deadlines.get() != null;
  }

  private int flags(int number) {
    return (int) (records[at(number) + SHAPE] >>> FLAGS_SHIFT) & FLAGS;
  }

  /** Returns whether a published record has a deadline and has not ended. */
  public boolean hasDeadline(int number) {
    return flags(number) == HAS_DEADLINE;
  }

  /** Returns a record's deadline, which it has, on the loop's clock, ns. */
  public long deadlineNs(int number) {
    return deadlines.get()[number & mask];
  }

  /** Returns the kind of a published record. */
  public int kind(int number) {
    return (int) (records[at(number) + SHAPE] >>> KIND_SHIFT) & Completion.BYTE_MASK;
  }

  /** Returns the tag of a published record. */
  public long tag(int number) {
    return records[at(number) + TAG];
  }

  /**
   * Ends a record that waits. It keeps its place until those before it are taken.
   *
   * @return what was lent with it, which is the caller's now; or null
   */
  public Object end(int number) {
    records[at(number) + SHAPE] |= (long) HAS_ENDED << FLAGS_SHIFT;
    Object object = lent[number & mask];
    lent[number & mask] = null;
    return object;
  }

  // ---- the event loop takes

  /**
   * Takes the next record. Its bytes stay until {@link #free}.
   *
   * @param bytesLength how many bytes were claimed for it
   */
  public void take(int bytesLength) {
    int slot = (int) head & mask;
    if (lent[slot] != null) {
      lent[slot] = null;
    }
    position = startOf(position, bytesLength) + alignedLength(bytesLength);
    head = head + 1 & NUMBER_MASK;
  }

  /** Gives all records that were taken, and their bytes, back to the submitters. */
  public void free() {
    if (words.own(FREED) != taken()) {
      words.setRelease(FREED, taken());
    }
  }

  private long taken() {
    return head << Integer.SIZE | position & POSITION_MASK;
  }
}
