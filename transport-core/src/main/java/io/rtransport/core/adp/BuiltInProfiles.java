package io.rtransport.core.adp;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The four profiles that come with RT. Their time base is 4 µs: 4 µs << 8 is 1.0 ms, << 11 8.2 ms,
 * << 14 65.5 ms, << 17 524 ms. docs/reference/adp.md has their timelines.
 *
 * <p>Their first exponents lie inside their first range, so the first timeout is already a step up
 * (ADP flow, notes on initialization). Each starts far above the round trip of its network, because
 * the timer is the last resort. Later packets and the tail probe find losses earlier. By default,
 * the floor of the measured round trip applies to all of them.
 */
public final class BuiltInProfiles {
  /**
   * Profile for one host. The round trip is 15 to 50 µs. After 1 to 2 ms without an answer, a
   * packet is lost or the peer does not run. Values up to 4 ms are tried twice. Then the values go
   * up to 65 ms, for a paused process. Progress leads back to 8 ms at once. Gives up after 2.1 s (4
   * µs << 19).
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
   * Profile for one data centre, the default. Round trips are 50 µs to 1 ms with queues. The first
   * value, 4 to 8 ms, is longer than any switch queue needs to drain. A resend then does not meet
   * the queue that dropped the packet. Values up to 16 ms are tried once, then 33 and 65 ms twice
   * each. Gives up after 4.2 s (4 µs << 20). By then, a path that switches over has done so.
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
   * Profile for networks with much loss that is not congestion (radio, a bad line), at round trips
   * up to 30 ms. A timeout then says little about the load. A value is tried four times before it
   * doubles, and progress leads back at once. Gives up late, after 33.6 s (4 µs << 23).
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
   * Profile between sites: round trips of 20 to 300 ms, and routes that change. Starts at 131 to
   * 262 ms and doubles at each timeout up to one second. Progress lowers the value one step at a
   * time, because a route that came back may be the longer one. Gives up after 67.1 s (4 µs << 24).
   *
   * <p>Values above 65 ms need an ack_timeout of 18, or 0. With the default cap of 67.1 ms, the
   * floor of the measured round trip decides.
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

  /** Profile of a connection when nothing is set: {@link #LAN}. */
  public static final AdpProfile DEFAULT = LAN;

  private static final Map<String, AdpProfile> BY_NAME = new LinkedHashMap<>();

  static {
    BY_NAME.put("loopback", LOOPBACK);
    BY_NAME.put("lan", LAN);
    BY_NAME.put("lossy", LOSSY);
    BY_NAME.put("wan", WAN);
  }

  private BuiltInProfiles() {}

  /** Returns the names, in order of growing totals. */
  public static Set<String> names() {
    return Collections.unmodifiableSet(BY_NAME.keySet());
  }

  /** Returns the profile with a name, or null. */
  public static AdpProfile find(String name) {
    return BY_NAME.get(name);
  }

  /**
   * Returns the profile with a name.
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
