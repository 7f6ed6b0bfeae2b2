package io.rtransport.core.solicitation;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The solicitation budget of a node: how many bytes its receivers have asked for, together, and not
 * yet had taken by their applications. Decides who may ask for more, and whose turn it is when
 * there is none left.
 *
 * <p>What counts: granted bytes from the grant until the sink has taken them, and pull
 * reservations, which together hold at most half, but for the oldest pull of a connection, which
 * others may be waiting for. One connection holds at most {@code max(½, 1/active)}. A grant that
 * sees no byte for long stops counting (it is <i>given away</i>, at most 1/8 of the budget) and
 * counts again when its bytes come: so the sum never passes 9/8. Bytes that arrived and are not
 * taken for long are <i>stale</i>: 1/8 a connection and 1/2 in all; those of sinks that write
 * behind, which {@link SinkRoom} bounds, are not.
 *
 * <p>Thread-safe. Reservations are single atomic steps; only waiting takes a lock. Waiting
 * connections are told one after the other and, having had one grant, queue behind the others:
 * round robin.
 */
public final class NodeBudget {
  private volatile long capacityBytes;
  private final AtomicLong countedBytes = new AtomicLong();
  private final AtomicLong pullBytes = new AtomicLong();
  private final AtomicLong givenAwayBytes = new AtomicLong();
  private final AtomicLong staleBytes = new AtomicLong();
  private final AtomicLong behindBytes = new AtomicLong();
  private final AtomicInteger active = new AtomicInteger();
  private final IncastLimit incast = new IncastLimit();
  private final ArrayDeque<BudgetAccount> pushWaiting = new ArrayDeque<>();
  private final ArrayDeque<BudgetAccount> pullWaiting = new ArrayDeque<>();
  private final AtomicInteger pushWaitingCount = new AtomicInteger();
  private final AtomicInteger pullWaitingCount = new AtomicInteger();

  /**
   * @param capacityBytes at least 512 KiB, so that half of it is a whole grant
   */
  public NodeBudget(long capacityBytes) {
    if (capacityBytes < 512 << 10) {
      throw new IllegalArgumentException(
          "capacityBytes=" + capacityBytes + " must be at least 524288");
    }
    this.capacityBytes = capacityBytes;
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /**
   * Raises the capacity; the first of those who are queued for room is told of it. Never lowered:
   * what was promised is on its way. Any thread.
   *
   * @param bytes less than the present capacity changes nothing
   */
  public void raise(long bytes) {
    synchronized (pushWaiting) {
      capacityBytes = Math.max(capacityBytes, bytes);
    }
    tellNext();
  }

  /** Bytes that count now; 0 when every connection is at rest. */
  public long countedBytes() {
    return countedBytes.get();
  }

  /** Bytes of grants that stopped counting. */
  public long givenAwayBytes() {
    return givenAwayBytes.get();
  }

  /** Bytes of the counted that pulls hold. */
  public long pullBytes() {
    return pullBytes.get();
  }

  /** Bytes that arrived and were not taken for long. */
  public long staleBytes() {
    return staleBytes.get();
  }

  /** Bytes that messages hold whose sinks write behind. */
  public long behindBytes() {
    return behindBytes.get();
  }

  void onBehind(long change) {
    behindBytes.addAndGet(change);
  }

  /**
   * What counts of the bytes that are granted and have not arrived; 0 when every connection is at
   * rest.
   */
  public long aheadUnits() {
    return incast.aheadUnits();
  }

  /** How much may be granted that has not arrived. */
  IncastLimit incast() {
    return incast;
  }

  /** The most that one connection may hold now. */
  long shareBytes() {
    return active.get() <= 1 ? capacityBytes : capacityBytes >> 1;
  }

  void onActive(int change) {
    active.addAndGet(change);
  }

  boolean hasWaiting(boolean isPull) {
    return (isPull ? pullWaitingCount : pushWaitingCount).get() > 0;
  }

  /**
   * Reserves as much as there is of {@code [bytesMin, bytesMax]}; 0 when that is less than the
   * least.
   */
  long reserve(long bytesMin, long bytesMax, boolean isPull, boolean isOldest) {
    long pullBytesMax = isOldest ? capacityBytes : capacityBytes >> 1;
    long most = isPull ? takeUpTo(pullBytes, pullBytesMax, bytesMin, bytesMax) : bytesMax;
    if (most == 0) {
      return 0;
    }
    long bytes = takeUpTo(countedBytes, capacityBytes, bytesMin, most);
    if (isPull && bytes < most) {
      pullBytes.addAndGet(bytes - most);
    }
    return bytes;
  }

  private static long takeUpTo(AtomicLong counter, long capacity, long bytesMin, long bytesMax) {
    while (true) {
      long used = counter.get();
      long bytes = Math.min(bytesMax, capacity - used);
      if (bytes < bytesMin) {
        return 0;
      }
      if (counter.compareAndSet(used, used + bytes)) {
        return bytes;
      }
    }
  }

  void release(long bytes, boolean isPull) {
    if (isPull) {
      long left = pullBytes.addAndGet(-bytes);
      assert left >= 0 : "pull reservations below zero: " + left;
    }
    long left = countedBytes.addAndGet(-bytes);
    assert left >= 0 : "solicitation budget below zero: " + left;
    tellNext();
  }

  /** Stops counting up to {@code bytes}; answers how many. */
  long giveAway(long bytes) {
    long given = takeUpTo(givenAwayBytes, capacityBytes >> 3, 1, bytes);
    if (given > 0) {
      countedBytes.addAndGet(-given);
      tellNext();
    }
    return given;
  }

  /** Counts again what had been given away: this alone may pass the capacity, by at most 1/8. */
  void takeBack(long bytes) {
    long counted = countedBytes.addAndGet(bytes);
    assert counted <= capacityBytes + (capacityBytes >> 3)
        : "solicitation budget above 9/8: " + counted;
    givenAwayBytes.addAndGet(-bytes);
  }

  /** What was given away will never come: it is forgotten. */
  void forgetGivenAway(long bytes) {
    givenAwayBytes.addAndGet(-bytes);
  }

  void onStale(long change) {
    staleBytes.addAndGet(change);
  }

  boolean isTooMuchStale() {
    return staleBytes.get() > capacityBytes >> 1;
  }

  /**
   * Queues an account, which says by {@link BudgetAccount#neededBytes} how much it needs at the
   * least.
   */
  void enqueue(BudgetAccount account, boolean isPull, boolean isFirst) {
    ArrayDeque<BudgetAccount> queue = isPull ? pullWaiting : pushWaiting;
    synchronized (pushWaiting) {
      if (isFirst) {
        queue.addFirst(account);
      } else {
        queue.addLast(account);
      }
      (isPull ? pullWaitingCount : pushWaitingCount).incrementAndGet();
    }
  }

  void leave(BudgetAccount account, boolean isPull) {
    synchronized (pushWaiting) {
      if ((isPull ? pullWaiting : pushWaiting).remove(account)) {
        (isPull ? pullWaitingCount : pushWaitingCount).decrementAndGet();
      }
    }
    tellNext();
  }

  /** Tells those at the head of the queues, if there is now what they need. */
  void tellNext() {
    tellNext(false);
    tellNext(true);
  }

  private void tellNext(boolean isPull) {
    if (!hasWaiting(isPull)) {
      return;
    }
    BudgetAccount told = null;
    synchronized (pushWaiting) {
      ArrayDeque<BudgetAccount> queue = isPull ? pullWaiting : pushWaiting;
      BudgetAccount head = queue.peekFirst();
      long room = capacityBytes - countedBytes.get();
      if (isPull) {
        room = Math.min(room, (capacityBytes >> 1) - pullBytes.get());
      }
      if (head != null
          && head.neededBytes(isPull) <= room
          && (isPull || head.neededUnits() <= incast.roomUnits())) {
        told = queue.pollFirst();
        (isPull ? pullWaitingCount : pushWaitingCount).decrementAndGet();
        told.onTurn(isPull);
      }
    }
    if (told != null) {
      told.wake();
    }
  }
}
