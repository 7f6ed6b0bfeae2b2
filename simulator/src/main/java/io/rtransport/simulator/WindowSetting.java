package io.rtransport.simulator;

import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.congestion.Aimd;
import io.rtransport.core.congestion.CongestionControl;
import io.rtransport.core.congestion.SwiftWindow;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.CommonParameters;
import io.rtransport.core.parameter.DirectionParameters;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.rail.RailHealthConfig;
import io.rtransport.core.stats.Limits;
import java.util.function.Supplier;

/**
 * Setting of the two window sublayers of a {@link RailWorld}.
 *
 * @param agreed by host
 * @param congestion makes the congestion control of a path
 * @param firstSequences first transmission sequence of each host
 * @param isPathFollowed whether the window follows what its paths carry
 */
record WindowSetting(
    AgreedParameters[] agreed,
    AdpProfile profile,
    Supplier<CongestionControl> congestion,
    int[] firstSequences,
    int storeBytes,
    boolean isPathFollowed,
    RailHealthConfig health) {
  static final long TOTAL_NS = 600_000_000_000L;
  private static final int PACKET_LENGTH = 1_408;

  /** Returns a setting whose numbers all begin close to the wrap. */
  static WindowSetting of(int dataWindow, RailHealthConfig health) {
    CommonParameters both =
        new CommonParameters(true, PACKET_LENGTH, 64, 8_192, 512, TOTAL_NS, TOTAL_NS);
    DirectionParameters way =
        new DirectionParameters(256, dataWindow, PACKET_LENGTH, 1 << 20, 1 << 20, 1_000_000, 0);
    InitialNumbers numbers = new InitialNumbers(-40, -40, 0, 0);
    AgreedParameters agreed = new AgreedParameters(both, way, way, numbers, numbers);
    int firstSequence = -40 & 0xFF_FFFF;
    return new WindowSetting(
        new AgreedParameters[] {agreed, agreed},
        BuiltInProfiles.LAN,
        () ->
            new SwiftWindow(
                PACKET_LENGTH, Aimd.DEFAULT_MAXIMUM_BYTES, 16 << 20, SwiftWindow.TARGET_NS_MIN),
        new int[] {firstSequence, firstSequence},
        32 << 20,
        dataWindow == Limits.WINDOW_PACKETS_MAX,
        health);
  }
}
