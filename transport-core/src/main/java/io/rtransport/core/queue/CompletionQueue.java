package io.rtransport.core.queue;

/**
 * Completion queue: a ring of fixed capacity in which each transaction leaves exactly one entry.
 * One event loop stores, one consumer polls.
 *
 * <p>It never drops an entry and never blocks the event loop, because room is claimed before: by
 * {@link #tryPost} when an application posts a transaction, and by {@link #claimInbound} before the
 * loop hands up what a peer began. Both have a bound of their own, and the ring has room for both.
 * Posting is refused first.
 *
 * <p>The consumer gives the room of a run of entries back before it hands over the first of them.
 * So a handler can post again, and the words that both sides write are written once a run. The ring
 * has places for such a run more than there can be claims.
 *
 * <p>An entry is stored by {@link #store} or {@link #storeInbound}, and the consumer learns of it
 * by {@link EventQueue#announce}. One call may announce several. A consumer that polls meanwhile
 * sees them in runs: if it saw each at once, both would write and read the same cache lines in
 * turn.
 *
 * <p>Layout of an entry, four longs:
 *
 * <pre>
 *   0  tag
 *   1  connection id (32) | RSN (32)
 *   2  bytes
 *   3  code (32) | 0 (15) | inbound (1) | status (8) | opcode (8)
 * </pre>
 */
public final class CompletionQueue {
  /** Largest number of posted transactions, or of inbound entries, that one queue may hold. */
  public static final int CAPACITY_MAX = 1 << 16;

  /** Entries that become visible together, if they are not announced before. */
  private static final int VISIBLE_AT_ONCE = 32;

  /**
   * Most entries whose room is given back at once. While a handler runs, up to 15 more may be
   * posted and stored than {@code postedMax}.
   */
  public static final int RUN_MAX = 16;

  private static final int ENTRY_SHIFT = 2;
  private static final int IDENTITY = 1;
  private static final int BYTES = 2;
  private static final int RESULT = 3;

  // Words, each on cache lines of its own. TAIL, HEAD_SEEN, ANNOUNCED, STORED and POSTS_STORED are
  // the loop's. HEAD, RELEASED and POSTS_RELEASED are the consumer's. STORED and RELEASED are not
  // shared: the number of entries that were stored, visible or not; and of those whose room was
  // given back and that were not polled.
  private static final int TAIL = 0;
  private static final int HEAD_SEEN = 1;
  private static final int ANNOUNCED = 2;
  private static final int HEAD = 3;
  private static final int PENDING = 4;
  private static final int POSTED = 5;
  private static final int INBOUND = 6;
  private static final int STORED = 7;
  private static final int RELEASED = 8;
  private static final int POSTS_STORED = 9;
  private static final int POSTS_RELEASED = 10;
  private static final int WORDS = 11;

  private final int eventQueue;
  private final int slot;
  private final int generation;
  private final int capacity;
  private final int mask;
  private final long[] entries;
  private final SharedWords words = new SharedWords(WORDS);
  private final Reservations posted;
  private final Reservations inbound;

  CompletionQueue(int eventQueue, int slot, int generation, int postedMax, int inboundMax) {
    this.eventQueue = eventQueue;
    this.slot = slot;
    this.generation = generation;
    posted = new Reservations(words, POSTED, Bounds.check("postedMax", postedMax, 1, CAPACITY_MAX));
    inbound =
        new Reservations(words, INBOUND, Bounds.check("inboundMax", inboundMax, 0, CAPACITY_MAX));
    capacity = postedMax + inboundMax + RUN_MAX;
    int length = Integer.highestOneBit(2 * capacity - 1);
    mask = length - 1;
    entries = new long[length << ENTRY_SHIFT];
  }

  /** Returns the index of the event queue that this queue belongs to. */
  public int eventQueue() {
    return eventQueue;
  }

  /** Returns the number of this queue in its event queue. It is used again after a removal. */
  public int slot() {
    return slot;
  }

  /** Returns how many queues had this slot before. */
  public int generation() {
    return generation;
  }

  // ---- any thread

  /**
   * Claims room for the entries of one transaction. Any thread may call it.
   *
   * @param entries how many entries it will have, 1 or 2
   * @throws IllegalArgumentException if {@code entries} is neither
   */
  public Claim tryPost(int entries) {
    return posted.tryClaim(Bounds.check("entries", entries, 1, 2));
  }

  /** Gives back room that {@link #tryPost} claimed and that no entry will need. Any thread. */
  public void giveBack(int entries) {
    posted.release(entries);
  }

  /**
   * Refuses all claims from now on. What is claimed already still ends in an entry each. Any thread
   * may call it, more than once too.
   */
  public void close() {
    posted.close();
    inbound.close();
  }

  /**
   * Refuses claims of posts from now on; inbound entries still come. Any thread may call it, more
   * than once too.
   */
  public void closePosts() {
    posted.close();
  }

  /** Returns whether {@link #close} or {@link #closePosts} was called. Any thread. */
  public boolean isClosed() {
    return posted.isClosed();
  }

  /**
   * Returns how many entries are posted: not stored yet, or stored and not polled. During a poll
   * those that it is about to hand over may be missing. Any thread.
   */
  public int posted() {
    return posted.claimed();
  }

  /**
   * Returns how many inbound entries there are: claimed, or stored and not polled; otherwise as
   * {@link #posted}. Any thread.
   */
  public int inbound() {
    return inbound.claimed();
  }

  // ---- the event loop

  /**
   * Claims room for entries that a peer may begin; what is not needed must be given back before the
   * queue can be removed. The event loop.
   *
   * @param most how many are wanted, from 1
   * @return how many, at most {@code inboundMax} in all; 0: there is no room, and nobody tells when
   *     there is; negative: closed
   */
  public int claimInbound(int most) {
    return inbound.tryClaimUpTo(most);
  }

  /** Gives back room that {@link #claimInbound} has claimed and no entry needs. The event loop. */
  public void giveBackInbound(int count) {
    inbound.release(count);
  }

  /**
   * Stores the end of a posted transaction. The event loop calls it.
   *
   * @param opcode kind, 0..255
   * @param status how it ended, 0..255
   * @return the entry's position: the number of entries before it
   * @throws IllegalStateException if there is no place for it, because more was stored than claimed
   */
  public long store(
      long tag, int connection, int rsn, int opcode, int status, int code, long bytes) {
    long position = put(tag, connection, rsn, bytes, result(opcode, status, code));
    words.setOwn(POSTS_STORED, words.own(POSTS_STORED) + 1);
    return position;
  }

  /** Stores what a peer began, after {@link #claimInbound}; otherwise as {@link #store}. */
  public long storeInbound(
      long tag, int connection, int rsn, int opcode, int status, int code, long bytes) {
    return put(tag, connection, rsn, bytes, result(opcode, status, code) | Completion.INBOUND_BIT);
  }

  private static long result(int opcode, int status, int code) {
    Bounds.check("opcode", opcode, 0, Completion.BYTE_MASK);
    Bounds.check("status", status, 0, Completion.BYTE_MASK);
    return (long) code << Integer.SIZE | (long) status << Byte.SIZE | opcode;
  }

  private long put(long tag, int connection, int rsn, long bytes, long result) {
    long tail = words.own(STORED);
    if (tail - words.own(HEAD_SEEN) >= capacity) {
      words.setOwn(HEAD_SEEN, words.getAcquire(HEAD));
      if (tail - words.own(HEAD_SEEN) >= capacity) {
        throw new IllegalStateException("entry " + tail + " was stored without a claim");
      }
    }
    int at = ((int) tail & mask) << ENTRY_SHIFT;
    entries[at] = tag;
    entries[at + IDENTITY] = (long) connection << Integer.SIZE | rsn & 0xFFFF_FFFFL;
    entries[at + BYTES] = bytes;
    entries[at + RESULT] = result;
    words.setOwn(STORED, tail + 1);
    if (tail + 1 - words.own(TAIL) >= VISIBLE_AT_ONCE) {
      words.setRelease(TAIL, tail + 1);
    }
    return tail;
  }

  /** Makes all entries so far visible, before they are announced. The event loop. */
  void show() {
    if (words.own(STORED) != words.own(TAIL)) {
      words.setRelease(TAIL, words.own(STORED));
    }
  }

  /** Says that all entries so far are announced: the loop is done with them. The event loop. */
  void onAnnounced() {
    words.setRelease(ANNOUNCED, words.own(STORED));
  }

  /**
   * Returns how many posts have no entry that is stored: what was claimed, and not given back. If
   * the consumer polls meanwhile it may be too many, and never too few. The event loop.
   */
  public int unstored() {
    int claimed = posted.claimed(); // before the word that grows while this falls
    return claimed - (int) (words.own(POSTS_STORED) - words.getAcquire(POSTS_RELEASED));
  }

  // ---- both

  /** Returns whether the EQ Pending bit is set. */
  boolean isPending() {
    return words.getAcquire(PENDING) != 0;
  }

  /** Sets the EQ Pending bit. False if it was set: then another has put the EQE, or will. */
  boolean trySetPending() {
    return words.compareAndSet(PENDING, 0, 1);
  }

  // ---- the consumer

  /** Resets the EQ Pending bit, which the consumer alone may do. */
  void resetPending() {
    words.setRelease(PENDING, 0);
  }

  /** Returns how many entries were polled. */
  long polled() {
    return words.own(HEAD);
  }

  boolean hasEntries() {
    return words.getAcquire(TAIL) != words.own(HEAD);
  }

  /** Returns whether the queue is closed and each claim has its entry, which is announced. */
  boolean isFinished() {
    return posted.isClosed()
        && inbound.isClosed()
        && posted.claimed() + inbound.claimed() + words.own(RELEASED)
            == words.getAcquire(ANNOUNCED) - words.own(HEAD);
  }

  /**
   * Hands entries to a handler. The room of an entry is free before the handler sees it.
   *
   * @return how many, at most {@code limit}
   */
  int drain(Completion view, QueueHandler handler, int limit) {
    int count = 0;
    view.eventQueue = eventQueue;
    view.slot = slot;
    while (count < limit && (words.own(RELEASED) > 0 || releaseRun(limit - count))) {
      take(view);
      count++;
      handler.onCompletion(view);
    }
    return count;
  }

  /** Gives back the room of the next entries. Returns false when there is none. */
  private boolean releaseRun(int limit) {
    long head = words.own(HEAD);
    int run = (int) Math.min(words.getAcquire(TAIL) - head, Math.min(limit, RUN_MAX));
    int begunByPeer = 0;
    for (int i = 0; i < run; i++) {
      long result = entries[(((int) head + i & mask) << ENTRY_SHIFT) + RESULT];
      begunByPeer += (result & Completion.INBOUND_BIT) == 0 ? 0 : 1;
    }
    words.setOwn(RELEASED, run);
    if (run > begunByPeer) {
      words.setRelease(POSTS_RELEASED, words.own(POSTS_RELEASED) + run - begunByPeer);
      posted.release(run - begunByPeer);
    }
    if (begunByPeer > 0) {
      inbound.release(begunByPeer);
    }
    return run > 0;
  }

  private void take(Completion view) {
    long head = words.own(HEAD);
    int at = ((int) head & mask) << ENTRY_SHIFT;
    view.position = head;
    view.tag = entries[at];
    view.identity = entries[at + IDENTITY];
    view.bytes = entries[at + BYTES];
    view.result = entries[at + RESULT];
    words.setRelease(HEAD, head + 1);
    words.setOwn(RELEASED, words.own(RELEASED) - 1);
  }
}
