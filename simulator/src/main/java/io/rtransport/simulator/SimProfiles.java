package io.rtransport.simulator;

import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.adp.BuiltInProfiles;

/** The product's profiles, by the names that worlds draw. */
final class SimProfiles {
  private SimProfiles() {}

  static AdpProfile named(String name) {
    return switch (name) {
      case "loopback" -> BuiltInProfiles.LOOPBACK;
      case "lan" -> BuiltInProfiles.LAN;
      case "lossy" -> BuiltInProfiles.LOSSY;
      default -> BuiltInProfiles.WAN;
    };
  }
}
