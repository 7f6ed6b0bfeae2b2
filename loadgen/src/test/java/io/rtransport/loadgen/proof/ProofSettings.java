package io.rtransport.loadgen.proof;

import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.parameter.ConnectionConfig;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * What both sides of a proof are set to, as the text that the target's process is given: a
 * profile's name, and -unordered behind it. A close waits for a minute: what has not ended by then
 * stands still, however slow the machine.
 */
final class ProofSettings {
  /** Until a close must be over: its timeout, and what comes after it. */
  static final Duration CLOSE_MAX = Duration.ofSeconds(90);

  private static final long CLOSE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
  private static final String UNORDERED = "-unordered";

  private ProofSettings() {}

  static ConnectionConfig handshake(String settings) {
    return ConnectionConfig.builder()
        .adpProfile(BuiltInProfiles.find(profile(settings)))
        .ordered(!settings.endsWith(UNORDERED))
        .closeTimeoutNs(CLOSE_TIMEOUT_NS)
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
