package io.rtransport.loadgen.proof;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.connection.ConnectionConfig;
import java.time.Duration;

/** What both sides of a proof are set to, as the text that the target's process is given: a profile's name, and -unordered behind it. */
final class ProofSettings {
  private static final String UNORDERED = "-unordered";

  private ProofSettings() {}

  static ConnectionConfig handshake(String settings) {
    return ConnectionConfig.builder()
        .adpProfile(BuiltInProfiles.find(profile(settings)))
        .ordered(!settings.endsWith(UNORDERED))
        .build();
  }

  /** How long a connection goes without progress until it ends. */
  static Duration total(String settings) {
    return Duration.ofNanos(BuiltInProfiles.find(profile(settings)).totalNs(AdpParameters.DEFAULT));
  }

  private static String profile(String settings) {
    return settings.replace(UNORDERED, "");
  }
}
