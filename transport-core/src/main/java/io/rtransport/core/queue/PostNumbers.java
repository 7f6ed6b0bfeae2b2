package io.rtransport.core.queue;

import io.rtransport.core.stats.Limits;
import java.util.Arrays;

/**
 * Tells which RSN the connection gave to a post, by the post's number in the {@link
 * SubmissionRing}. Confined to the connection's loop.
 *
 * <p>Posts get RSNs in their order, and only posts get any. So both numbers grow by one together,
 * but for posts that got none: they were cancelled, late or refused before their turn. Only the
 * runs between these are kept, as far back as RSNs may be open. A post that begins costs nothing.
 */
public final class PostNumbers {
  /** Answer of {@link #rsnOf}: the post has none that may be open. */
  public static final long NONE = -1;

  /** How far back posts are found. */
  public static final int POSTS_MAX = 1 << 29;

  private int[] posts = new int[4]; // first post of each run
  private int[] rsns = new int[4]; // and its RSN
  private int head;
  private int tail;

  /**
   * Begins a run: {@code post} is the next post that may get an RSN, and {@code rsn} the next RSN.
   * Called before the first post, and after each one that got none.
   */
  public void begin(int post, int rsn) {
    if (head < tail && rsns[tail - 1] == rsn) {
      posts[tail - 1] = post; // the run before is empty
      return;
    }
    if (tail == posts.length) {
      keep(post, rsn);
      makeRoom();
    }
    posts[tail] = post;
    rsns[tail++] = rsn;
  }

  /** Returns how many runs are kept. */
  int runs() {
    return tail - head;
  }

  private void makeRoom() {
    int count = tail - head;
    int capacity = count <= posts.length >> 1 ? posts.length : 2 * posts.length;
    posts = Arrays.copyOf(Arrays.copyOfRange(posts, head, tail), capacity);
    rsns = Arrays.copyOf(Arrays.copyOfRange(rsns, head, tail), capacity);
    head = 0;
    tail = count;
  }

  /**
   * Forgets what is too old to be open. Must be called within each {@link #POSTS_MAX} posts.
   *
   * @param nextPost number that the next post gets, in 31 bits
   * @param nextRsn RSN that the connection gives next
   */
  public void keep(int nextPost, int nextRsn) {
    while (tail - head > 1
        && (nextRsn - rsns[head + 1] >= Limits.RSN_SPAN_MAX
            || behind(nextPost, posts[head + 1]) >= POSTS_MAX)) {
      head++;
    }
    if (head < tail) {
      int end = tail - head == 1 ? nextRsn : rsns[head + 1];
      int tooMany = Math.min(end - rsns[head], nextRsn - rsns[head] - Limits.RSN_SPAN_MAX);
      if (tooMany > 0) {
        posts[head] += tooMany;
        rsns[head] += tooMany;
      }
    }
  }

  private static int behind(int nextPost, int post) {
    return SubmissionRing.distance(post, nextPost);
  }

  /** Returns whether {@link #keep} is due. */
  public boolean isLong(int nextPost) {
    return head < tail && behind(nextPost, posts[head]) >= POSTS_MAX;
  }

  /**
   * Returns the RSN of a post.
   *
   * @param post its number, in 31 bits
   * @param nextPost as of {@link #keep}
   * @param nextRsn as of {@link #keep}
   * @return 0..2^32 - 1, or {@link #NONE}
   */
  public long rsnOf(int post, int nextPost, int nextRsn) {
    keep(nextPost, nextRsn);
    int behind = behind(nextPost, post);
    int low = head; // the last run that begins at the post or before it is below high
    int high = tail;
    while (low < high) {
      int middle = low + high >>> 1;
      if (behind(nextPost, posts[middle]) >= behind) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    int run = low - 1;
    if (run < head) {
      return NONE;
    }
    int end = run + 1 == tail ? nextRsn : rsns[run + 1];
    int rsn = rsns[run] + behind(nextPost, posts[run]) - behind;
    return end - rsn > 0 ? Integer.toUnsignedLong(rsn) : NONE;
  }
}
