package io.rtransport.core.adp;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The four profiles that come with RT. All count in 4 µs; 4 µs << 8 is 1.0 ms, << 11 8.2 ms, << 14
 * 65.5 ms, << 17 524 ms. Their first exponents lie inside their first range, so the first timeout
 * is already a step of the ladder (ADP flow, notes on initialization). Each starts far above the
 * round trip of its network: the timer is the last resort, losses are found earlier by later
 * packets and by the tail probe. The default floor of the measured round trip lies under all of
 * them. docs/reference/adp.md has their timelines.
 */
public final class BuiltInProfiles {
  /**
   * One host. The round trip is 15 to 50 µs; 1 to 2 ms without an answer is a lost packet or a peer
   * that does not run. Two tries a value up to 4 ms, then steps to 65 ms for a paused process;
   * progress leads back to 8 ms at once. Gives up after 2.1 s (4 µs << 19).
   */
  public static final AdpProfile LOOPBACK =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(19)
          .initLowBound(8)
          .initRangeSize(2)
          .range(8, 2, 2, DecMode.DIV_2, 0)
          .range(11, 3, 2, DecMode.LOW_BOUND, 0)
          .build();

  /**
   * One data centre, the default. Round trips of 50 µs to 1 ms with queues; the first value, 4 to 8
   * ms, is longer than any switch queue drains, so a resend does not meet the queue that dropped
   * it. One try a value up to 16 ms, then 33 to 65 ms, two tries each. Gives up after 4.2 s (4 µs
   * << 20), when a path that switches over has done so.
   */
  public static final AdpProfile LAN =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(20)
          .initLowBound(10)
          .initRangeSize(2)
          .range(10, 2, 1, DecMode.DIV_2, 0)
          .range(13, 1, 2, DecMode.LOW_BOUND, 0)
          .build();

  /**
   * Much loss that is not congestion (radio, a bad line) at round trips up to 30 ms. A timeout says
   * little about the load, so a value is tried four times before it doubles, progress leads back at
   * once, and the path is given up late: 33.6 s (4 µs << 23).
   */
  public static final AdpProfile LOSSY =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(23)
          .initLowBound(13)
          .initRangeSize(2)
          .range(13, 1, 4, DecMode.LOW_BOUND, 0)
          .range(15, 1, 4, DecMode.DIV_4, 0)
          .build();

  /**
   * Between sites: round trips of 20 to 300 ms, routes that change. Starts at 131 to 262 ms,
   * doubles at each timeout up to a second and comes down a step at a time, because a route that
   * came back may be the longer one. Gives up after 67.1 s (4 µs << 24). The values above 65 ms
   * need an ack_timeout of 18, or 0; below the default cap of 67.1 ms the floor of the measured
   * round trip rules.
   */
  public static final AdpProfile WAN =
      AdpProfile.builder()
          .timeBaseMicros(4)
          .retxTotalTimeout(24)
          .initLowBound(15)
          .initRangeSize(2)
          .range(15, 1, 1, DecMode.DIV_2, 0)
          .range(17, 1, 2, DecMode.DIV_2, 0)
          .build();

  /** What a connection takes when nothing is set: {@link #LAN}. */
  public static final AdpProfile DEFAULT = LAN;

  private static final Map<String, AdpProfile> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("loopback", LOOPBACK);
    BY_NAME.put("lan", LAN);
    BY_NAME.put("lossy", LOSSY);
    BY_NAME.put("wan", WAN);
  }

  private BuiltInProfiles() {}

  /** The names, in order of growing totals. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(BY_NAME.keySet());
  }

  /** The profile of that name, or null. */
  public static AdpProfile find(String name) {
    return BY_NAME.get(name);
  }

  /**
   * The profile of that name.
   *
   * @throws InvalidProfileException if there is none
   */
  public static AdpProfile byName(String name) {
    AdpProfile profile = BY_NAME.get(name);
    if (profile == null) {
      throw new InvalidProfileException("profile", name, String.join(", ", BY_NAME.keySet()));
    }
    return profile;
  }
}
