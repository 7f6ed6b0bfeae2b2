package io.rtransport.loadgen.transceiver;

/**
 * Settings of a run whose RT is used through its queues.
 *
 * @param delayNs how late a consumer may be before it is woken; {@link #SELF_TUNING}: the queues
 *     choose
 * @param wakeAtOnce whether a consumer that sleeps is woken by the first entry that it finds, or
 *     only once the delay has passed since then; false where the queues choose
 */
public record QueueSettings(long delayNs, boolean wakeAtOnce) {
  /** In place of a delay: queues that choose it by what they measure. */
  public static final long SELF_TUNING = -1;

  /** Delay that the queues have by default. */
  public static final long DELAY_NS_DEFAULT = 100_000;

  /** Longest delay that the queues take. */
  public static final long DELAY_NS_MAX = 10_000_000_000L;

  /** Returns whether the queues choose the delay. */
  public boolean isSelfTuning() {
    return delayNs == SELF_TUNING;
  }
}
