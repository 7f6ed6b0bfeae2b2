package io.rtransport.core.adp;

/**
 * One range of a profile: the exponents {@code lowBound .. lowBound + size}, both included. Checked
 * against its place in the profile by {@link AdpProfile.Builder#build}, not here.
 *
 * @param lowBound range_low_bound, lowest exponent, 0..255, strictly rising from range to range
 * @param size range_size, 0..255; the top is {@code lowBound + size}
 * @param retryNum timeout_retry_num, how often a value is armed before it doubles, 1..1023
 * @param decMode dec_mode, the way down at progress
 * @param prevRangeIndex prev_range_index, the range to fall back to from the low bound: below this
 *     range's own index, 0 for range 0
 */
public record AdpRange(int lowBound, int size, int retryNum, DecMode decMode, int prevRangeIndex) {
  /** The highest exponent of the range. */
  public int top() {
    return lowBound + size;
  }

  /** Whether the range holds {@code exponent}. */
  public boolean contains(int exponent) {
    return exponent >= lowBound && exponent <= top();
  }
}
