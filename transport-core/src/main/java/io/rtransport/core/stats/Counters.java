package io.rtransport.core.stats;

import java.util.ArrayList;
import java.util.List;

/**
 * One value per {@link CounterId}. Counting touches one number; sums are made when somebody asks. Written by one event loop only; a reader
 * on another thread may see values a moment old, and must not ask a whole, whose parts come and go.
 */
public final class Counters {
  private static final CounterId[] IDS = CounterId.values();
  private static final int ALONE = -1;

  /** The low halves, and, only where one has overflowed, the high ones: most counters of most connections stay small. */
  private final int[] low = new int[IDS.length];

  private int[] high;
  private final List<Counters> members = new ArrayList<>();
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
      place = whole.members.size();
      whole.members.add(this);
    }
  }

  public void increment(CounterId id) {
    if (++low[id.ordinal()] == 0) {
      carry(id.ordinal(), 1);
    }
  }

  public void add(CounterId id, long amount) {
    add(id.ordinal(), amount);
  }

  private void add(int index, long amount) {
    long sum = Integer.toUnsignedLong(low[index]) + amount;
    low[index] = (int) sum;
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
    long value = Integer.toUnsignedLong(low[id.ordinal()]);
    if (high != null) {
      value += (long) high[id.ordinal()] << 32;
    }
    for (int i = 0; i < members.size(); i++) {
      value += members.get(i).value(id);
    }
    return value;
  }

  /** Leaves the whole, which keeps what was counted so far. Later counts are these counters' own. Once; does nothing again. */
  public void leave() {
    if (place == ALONE) {
      return;
    }
    for (int i = 0; i < IDS.length; i++) {
      whole.add(i, value(IDS[i]));
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
