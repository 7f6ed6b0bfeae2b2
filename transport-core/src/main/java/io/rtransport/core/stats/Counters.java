package io.rtransport.core.stats;

/** One value per {@link CounterId}. Written by one event loop only; a reader on another thread may see values a moment old. */
public final class Counters {
  private static final CounterId[] IDS = CounterId.values();

  private final long[] values = new long[IDS.length];
  private final Counters sum;

  /** Counters that stand alone: an event loop's. */
  public Counters() {
    this(null);
  }

  /** Counters of a connection, which also count in {@code sum}, its event loop's. */
  public Counters(Counters sum) {
    this.sum = sum;
  }

  public void increment(CounterId id) {
    add(id, 1);
  }

  public void add(CounterId id, long amount) {
    values[id.ordinal()] += amount;
    if (sum != null) {
      sum.add(id, amount);
    }
  }

  public long value(CounterId id) {
    return values[id.ordinal()];
  }

  /** Non-zero counters as {@code NAME=value}, for logs and failing tests. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (CounterId id : IDS) {
      if (value(id) != 0) {
        text.append(text.isEmpty() ? "" : " ").append(id).append('=').append(value(id));
      }
    }
    return text.toString();
  }
}
