package io.rtransport.core.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One value per {@link CounterId}. Counting touches one number; sums are made when somebody asks.
 * Written by one event loop only; a reader on another thread may see values a moment old, and must
 * not ask a whole, whose parts come and go.
 */
public final class Counters {
  private static final CounterId[] IDS = CounterId.values();
  private static final int ALONE = -1;

  /**
   * Those before it are all that a connection counts which is set up and silent: thousands may be
   * so.
   */
  private static final int FIRST_LENGTH = CounterId.DROP_TRUNCATED.ordinal();

  /**
   * The low halves, and, only where one has overflowed, the high ones: most counters of most
   * connections stay small.
   */
  private int[] low = new int[FIRST_LENGTH];

  private int[] high;
  private List<Counters> members = List.of();
  private final Counters whole;
  private int place = ALONE;

  /** Counters that stand alone, or the whole of others: an event loop's. */
  public Counters() {
    this(null);
  }

  /** Counters of a connection, which are part of {@code whole}, its event loop's. */
  public Counters(Counters whole) {
    this.whole = whole;
    if (whole != null) {
      whole.join(this);
    }
  }

  private void join(Counters part) {
    if (members.isEmpty()) {
      members = new ArrayList<>();
    }
    part.place = members.size();
    members.add(part);
  }

  public void increment(CounterId id) {
    int index = id.ordinal();
    int[] counts = index < low.length ? low : widen();
    if (++counts[index] == 0) {
      carry(index, 1);
    }
  }

  private int[] widen() {
    low = Arrays.copyOf(low, IDS.length);
    return low;
  }

  public void add(CounterId id, long amount) {
    add(id.ordinal(), amount);
  }

  private void add(int index, long amount) {
    int[] counts = index < low.length ? low : widen();
    long sum = Integer.toUnsignedLong(counts[index]) + amount;
    counts[index] = (int) sum;
    if (sum >>> 32 != 0) {
      carry(index, (int) (sum >> 32));
    }
  }

  private void carry(int index, int amount) {
    if (high == null) {
      high = new int[IDS.length];
    }
    high[index] += amount;
  }

  /** What was counted here and in all that are, or were, part of this. */
  public long value(CounterId id) {
    int[] counts = low; // once: a reader on another thread may see it replaced
    long value = id.ordinal() < counts.length ? Integer.toUnsignedLong(counts[id.ordinal()]) : 0;
    if (high != null) {
      value += (long) high[id.ordinal()] << 32;
    }
    for (int i = 0; i < members.size(); i++) {
      value += members.get(i).value(id);
    }
    return value;
  }

  /**
   * Leaves the whole, which keeps what was counted so far. Later counts are these counters' own.
   * Once; does nothing again.
   */
  public void leave() {
    if (place == ALONE) {
      return;
    }
    for (int i = 0; i < IDS.length; i++) {
      long value = value(IDS[i]);
      if (value != 0) {
        whole.add(i, value);
      }
    }
    int last = whole.members.size() - 1;
    Counters moved = whole.members.set(place, whole.members.get(last));
    assert moved == this : "not in its place";
    whole.members.get(place).place = place;
    whole.members.remove(last);
    place = ALONE;
  }

  /** Non-zero counters as {@code NAME=value}, for logs and failing tests. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (CounterId id : IDS) {
      long value = value(id);
      if (value != 0) {
        text.append(text.isEmpty() ? "" : " ").append(id).append('=').append(value);
      }
    }
    return text.toString();
  }
}
