package io.rtransport.netty.queue;

import io.netty.util.concurrent.Future;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.queue.CancelSet;
import io.rtransport.core.queue.PostNumbers;
import io.rtransport.core.queue.SubmissionRing;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.ObjIntConsumer;

/**
 * Gives up the posts that the application cancels, and those whose deadline comes while they wait
 * in the ring. What has begun the core gives up, by its RSN. Loop-confined.
 */
final class GivenUpPosts {
  private final ObjIntConsumer<CloseCode> ender;
  private final LoopQueue queue;
  private final Runnable onDue;
  private final IntConsumer cancelOne = this::cancel;
  private final PostNumbers numbers = new PostNumbers();
  private ConnectionRings rings;
  private SubmissionRing ring;
  private ApplicationVerbs verbs; // null until posts may begin
  private int looked; // records below it were looked at for their deadlines
  private boolean isAnyDue; // a record that was looked at may have a deadline
  private long dueNs; // the earliest of them, or earlier
  private Future<?> timer; // null while none is set
  private long timerNs;

  /**
   * @param ender ends a record that waits, by its number
   * @param onDue called when a deadline of a record that waits has come, outside of the core
   */
  GivenUpPosts(ObjIntConsumer<CloseCode> ender, LoopQueue queue, Runnable onDue) {
    this.ender = ender;
    this.queue = queue;
    this.onDue = onDue;
  }

  void attach(ConnectionRings newRings) {
    rings = newRings;
    ring = newRings.submissions;
    looked = ring.next();
  }

  /** Notes that the next record may begin a transaction. */
  void begin(ApplicationVerbs newVerbs) {
    verbs = newVerbs;
    onPassed();
  }

  /** Notes that a record was taken that began none. */
  void onPassed() {
    if (verbs != null) {
      numbers.begin(ring.next(), nextRsn());
    }
  }

  private int nextRsn() {
    return (int) verbs.nextSubmission();
  }

  /** Ends what was cancelled, and what waits and is late. A turn of the loop, outside the core. */
  void giveUp() {
    CancelSet cancels = rings.cancels.get();
    if (cancels != null) {
      cancels.takeAll(cancelOne);
    }
    if (isAnyDue && isDue(dueNs)) {
      look(true);
    }
    if (numbers.isLong(ring.next())) {
      numbers.keep(ring.next(), nextRsn());
    }
  }

  private void cancel(int post) {
    if (ring.isWaiting(post)) {
      if (ring.kind(post) != ConnectionRings.GIVEN_UP) {
        ender.accept(CloseCode.CANCELLED, post);
      }
    } else {
      long rsn = rsnOf(post);
      if (rsn != PostNumbers.NONE) {
        verbs.cancel(rsn); // without effect if it has ended
      }
    }
  }

  /** Returns the RSN of a post that has begun; negative if it has none that may be open. */
  long rsnOf(int post) {
    return verbs == null ? PostNumbers.NONE : numbers.rsnOf(post, ring.next(), nextRsn());
  }

  /** Returns when the timer is due; {@link Long#MAX_VALUE} if none is set. For tests. */
  long timerNs() {
    return timer == null ? Long.MAX_VALUE : timerNs;
  }

  /** Returns the first record that was not looked at for its deadline. For tests. */
  int looked() {
    return looked;
  }

  /** Returns whether the deadline of the next record has come. */
  boolean isNextDue() {
    return ring.hasDeadline(ring.next()) && isDue(ring.deadlineNs(ring.next()));
  }

  private boolean isDue(long deadlineNs) {
    return deadlineNs - nowNs() <= 0;
  }

  private long nowNs() {
    return queue.loop.ticker().nanoTime();
  }

  /** Has the loop come at the earliest deadline of what still waits. */
  void setTimer() {
    if (ring.hasDeadlines()) {
      look(false);
    } else {
      looked = ring.next(); // the numbers of posts come again: it must not stay behind
    }
    if (!isAnyDue || timer != null && dueNs - timerNs >= 0) {
      return;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    timerNs = dueNs;
    timer = queue.loop.schedule(this::onTimer, Math.max(0, dueNs - nowNs()), TimeUnit.NANOSECONDS);
  }

  private void onTimer() {
    timer = null;
    onDue.run();
  }

  /**
   * Finds the earliest deadline of what waits.
   *
   * @param isAgain whether to end what is late, of all records; else only those are looked at that
   *     came since the last look
   */
  private void look(boolean isAgain) {
    if (isAgain) {
      isAnyDue = false;
      looked = ring.next();
    }
    for (int end = ring.claimed(); ; ) {
      if (SubmissionRing.distance(looked, ring.next()) <= PostNumbers.POSTS_MAX) {
        looked = ring.next(); // those before it were taken
      }
      if (looked == end || !ring.isPublished(looked)) {
        return;
      }
      int post = looked;
      looked = looked + 1 & Integer.MAX_VALUE;
      if (!ring.hasDeadline(post)) {
        continue;
      }
      long deadlineNs = ring.deadlineNs(post);
      if (isAgain && isDue(deadlineNs)) {
        ender.accept(CloseCode.DEADLINE, post);
      } else if (!isAnyDue || deadlineNs - dueNs < 0) {
        isAnyDue = true;
        dueNs = deadlineNs;
      }
    }
  }

  /** Forgets the timer: the connection has ended. */
  void close() {
    isAnyDue = false;
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }
}
