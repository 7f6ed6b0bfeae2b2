package io.rtransport.core.queue;

import java.util.function.IntConsumer;

/**
 * Posts that the application gives up, by their numbers. Any thread adds, and the connection's
 * event loop takes. So a cancel never waits behind posts, and a full {@link SubmissionRing} does
 * not refuse it.
 *
 * <p>A number that stands in the set takes no second place, and there are twice as many places as
 * posts may be under way. So it is full only if that many other numbers were added since the loop
 * last looked, most of them of posts that had ended.
 *
 * <p>Order of memory: a thread writes the number, marks its place, and sets the word that the loop
 * reads first; then it rings the {@link Doorbell}. The loop clears in the opposite order.
 */
public final class CancelSet {
  private static final int ANY = 0;

  private final SharedWords words = new SharedWords(1);
  private final SubjectWords posts; // number + 1
  private final SubjectWords marks; // a bit for each place
  private final int length;

  /**
   * Creates an empty set.
   *
   * @param postsMax most posts that are under way, 1..2 × {@link CompletionQueue#CAPACITY_MAX}
   * @throws IllegalArgumentException if it is outside its range
   */
  public CancelSet(int postsMax) {
    Bounds.check("postsMax", postsMax, 1, 2 * CompletionQueue.CAPACITY_MAX);
    length = Math.max(Long.SIZE, Integer.highestOneBit(4 * postsMax - 1));
    posts = new SubjectWords(length);
    marks = new SubjectWords(length / Long.SIZE);
  }

  /**
   * Adds a post. Any thread; then it rings.
   *
   * @param number 0..2^31 - 1
   * @return false if the set is full: nothing has happened
   */
  public boolean add(int number) {
    long wanted = number + 1L;
    for (int i = 0; i < length; i++) {
      int at = number + i & length - 1;
      if (posts.get(at) == wanted
          || posts.compareAndSet(at, 0, wanted)
          || posts.get(at) == wanted) {
        marks.or(at / Long.SIZE, 1L << at); // also of one that another thread is adding
        words.setRelease(ANY, 1);
        return true;
      }
    }
    return false;
  }

  /** Takes all posts out, in any order. The event loop. */
  public void takeAll(IntConsumer consumer) {
    if (words.getAcquire(ANY) == 0) {
      return;
    }
    words.getAndSet(ANY, 0);
    for (int group = 0; group < length / Long.SIZE; group++) {
      if (marks.get(group) == 0) {
        continue;
      }
      for (long rest = marks.getAndClear(group); rest != 0; rest &= rest - 1) {
        int at = group * Long.SIZE + Long.numberOfTrailingZeros(rest);
        long post = posts.getAndClear(at);
        if (post != 0) {
          consumer.accept((int) (post - 1));
        }
      }
    }
  }
}
