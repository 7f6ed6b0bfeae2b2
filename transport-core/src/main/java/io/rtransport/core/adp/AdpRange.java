package io.rtransport.core.adp;

/**
 * One range of a profile: the exponents {@code lowBound .. lowBound + size}, both included. {@link
 * AdpProfile.Builder#build} checks it against its place in the profile; this record does not.
 *
 * @param lowBound range_low_bound, lowest exponent, 0..255, strictly rising from range to range
 * @param size range_size, 0..255; the highest exponent is {@code lowBound + size}
 * @param retryNum timeout_retry_num, how often a value is armed before it doubles, 1..1023
 * @param decMode dec_mode, how the exponent decreases at progress
 * @param prevRangeIndex prev_range_index, the range to fall back to from the low bound: below this
 *     range's own index, 0 for range 0
 */
public record AdpRange(int lowBound, int size, int retryNum, DecMode decMode, int prevRangeIndex) {
  /** Returns the highest exponent of the range. */
  public int top() {
    return lowBound + size;
  }

  /** Returns whether the range holds {@code exponent}. */
  public boolean contains(int exponent) {
    return exponent >= lowBound && exponent <= top();
  }
}
