package io.rtransport.core.adp;

import java.util.random.RandomGenerator;

/** Valid profiles of every shape, extremes included, from a seed. */
final class RandomProfiles {
  private RandomProfiles() {}

  static AdpProfile next(RandomGenerator random, boolean isQpTotal) {
    int rangeCount = 1 + random.nextInt(AdpProfile.RANGE_COUNT_MAX);
    AdpProfile.Builder builder =
        AdpProfile.builder()
            .startRangeIndex(random.nextInt(rangeCount))
            .timeBaseMicros(1 << 2 + random.nextInt(14))
            .retxTotalTimeout(random.nextInt(256))
            .initLowBound(random.nextInt(256))
            .initRangeSize(1 + random.nextInt(255))
            .qpTotalTimeout(isQpTotal);
    int low = random.nextInt(64);
    for (int i = 0; i < rangeCount; i++) {
      builder.range(
          low,
          random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(8),
          1 + (random.nextInt(4) == 0 ? random.nextInt(1_023) : random.nextInt(3)),
          DecMode.ofCode(random.nextInt(3)),
          i == 0 ? 0 : random.nextInt(i));
      low += 1 + random.nextInt(i == 2 ? 255 - low : 60);
    }
    return builder.build();
  }
}
