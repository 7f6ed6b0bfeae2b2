package io.rtransport.core.solicitation;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Solicitation budget of a node: how many bytes its receivers together have asked for and their
 * applications have not taken yet. Decides who may ask for more, and whose turn it is when none is
 * left.
 *
 * <p>These bytes count: granted bytes, from the grant until the sink has taken them, and pull
 * reservations. All pull reservations together hold at most half. The oldest pull of a connection
 * is not limited by this, because others may wait for it. One connection holds at most {@code
 * max(½, 1/active)}.
 *
 * <p>A grant that brings no byte for long stops counting: it is <i>given away</i>, at most 1/8 of
 * the budget. It counts again when its bytes come, so the sum never exceeds 9/8. Bytes that arrived
 * and are not taken for long are <i>stale</i>: at most 1/8 per connection and 1/2 in all. Bytes of
 * sinks that write behind are never stale: {@link SinkRoom} bounds them.
 *
 * <p>Thread-safe. A reservation is a single atomic step; only waiting takes a lock. Waiting
 * connections get their turns one after the other. After one grant a connection queues behind the
 * others: round robin.
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
   * Raises the capacity, and gives a turn to the first in the queue. The capacity is never lowered,
   * because promised bytes are on their way. Any thread.
   *
   * @param bytes less than the present capacity changes nothing
   */
  public void raise(long bytes) {
    synchronized (pushWaiting) {
      capacityBytes = Math.max(capacityBytes, bytes);
    }
    tellNext();
  }

  /** Returns the bytes that count now; 0 when every connection is at rest. */
  public long countedBytes() {
    return countedBytes.get();
  }

  /** Returns the bytes of grants that stopped counting. */
  public long givenAwayBytes() {
    return givenAwayBytes.get();
  }

  /** Returns the counted bytes that pulls hold. */
  public long pullBytes() {
    return pullBytes.get();
  }

  /** Returns the bytes that arrived and were not taken for long. */
  public long staleBytes() {
    return staleBytes.get();
  }

  /** Returns the bytes of messages whose sinks write behind. */
  public long behindBytes() {
    return behindBytes.get();
  }

  void onBehind(long change) {
    behindBytes.addAndGet(change);
  }

  /**
   * Returns how much the bytes that are granted and have not arrived count; 0 when every connection
   * is at rest.
   */
  public long aheadUnits() {
    return incast.aheadUnits();
  }

  /** Returns the limit of bytes that are granted and have not arrived. */
  IncastLimit incast() {
    return incast;
  }

  /** Returns the most bytes that one connection may hold now. */
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
   * Reserves as many bytes as possible within {@code [bytesMin, bytesMax]}; returns 0 when less
   * than {@code bytesMin} is free.
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

  /** Stops counting up to {@code bytes}; returns how many. */
  long giveAway(long bytes) {
    long given = takeUpTo(givenAwayBytes, capacityBytes >> 3, 1, bytes);
    if (given > 0) {
      countedBytes.addAndGet(-given);
      tellNext();
    }
    return given;
  }

  /**
   * Counts bytes again that had been given away. Only this may exceed the capacity, by at most 1/8.
   */
  void takeBack(long bytes) {
    long counted = countedBytes.addAndGet(bytes);
    assert counted <= capacityBytes + (capacityBytes >> 3)
        : "solicitation budget above 9/8: " + counted;
    givenAwayBytes.addAndGet(-bytes);
  }

  /** Forgets bytes that were given away and will never come. */
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
   * Queues an account. {@link BudgetAccount#neededBytes} returns how much it needs at the least.
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

  /** Gives a turn to the heads of the queues, if there is now as much as they need. */
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
