package io.rtransport.demo;

import io.rtransport.netty.control.AdpSettings;
import picocli.CommandLine.Option;

/** How a command's connections wait for answers. */
final class AdpOptions {
  @Option(
      names = "--profile",
      paramLabel = "NAME|FILE",
      description =
          "Retransmission profile: loopback, lan, lossy, wan, or a profile file; see rt adp (default: lan).")
  private String profile;

  @Option(
      names = "--ack-timeout",
      paramLabel = "n",
      description =
          "Cap of every value of the profile, 4.096 us x 2^n, 0..31, 0 = none (default: 14, 67 ms; wan and lossy need 18).")
  private String ackTimeout;

  @Option(
      names = "--retry-count",
      paramLabel = "n",
      description =
          "Factor of the total if the profile's qpTotalTimeout is true, 0..7 (default: 7).")
  private String retryCount;

  @Option(
      names = "--strict-profile",
      description =
          "The profile's values alone: no floor of the measured round trip, no tail probe.")
  private boolean isStrict;

  /** What was typed, checked. */
  AdpSettings read() {
    return AdpSettings.read(profile, ackTimeout, retryCount, isStrict);
  }
}
