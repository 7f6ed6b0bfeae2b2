package io.rtransport.core.stats;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One value for each {@link CounterId}. Counting changes one number; sums are computed on request.
 * Only one event loop writes. A reader on another thread may see slightly old values. It must not
 * ask an event loop's counters, whose parts come and go.
 */
public final class Counters {
  private static final CounterId[] IDS = CounterId.values();
  private static final int ALONE = -1;

  /**
   * The counters before this one are all that an established, silent connection counts. There may
   * be thousands of such connections.
   */
  private static final int FIRST_LENGTH = CounterId.DROP_TRUNCATED.ordinal();

  /**
   * The low halves. The high halves exist only after an overflow: most counters of most connections
   * stay small.
   */
  private int[] low = new int[FIRST_LENGTH];

  private int[] high;
  private List<Counters> members = List.of();
  private final Counters whole;
  private int place = ALONE;

  /** Creates counters on their own, or the whole of others: those of an event loop. */
  public Counters() {
    this(null);
  }

  /** Creates the counters of a connection, which are part of {@code whole}, its event loop's. */
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

  /**
   * Returns the count here and in former parts, without the present parts. Where there are
   * thousands of parts, {@link #value} takes long.
   */
  public long ownValue(CounterId id) {
    int[] counts = low; // Read once: a reader on another thread may see it replaced.
    long value = id.ordinal() < counts.length ? Integer.toUnsignedLong(counts[id.ordinal()]) : 0;
    if (high != null) {
      value += (long) high[id.ordinal()] << 32;
    }
    return value;
  }

  /** Returns the count here and in all present and former parts. */
  public long value(CounterId id) {
    long value = ownValue(id);
    for (int i = 0; i < members.size(); i++) {
      value += members.get(i).value(id);
    }
    return value;
  }

  /**
   * Leaves the whole, which keeps the counts so far. Later counts belong to these counters only. A
   * second call does nothing.
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

  /** Returns the non-zero counters as {@code NAME=value}, for logs and failing tests. */
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
