package io.rtransport.command;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.control.AdpSettings;
import java.util.List;
import picocli.CommandLine.Option;

/** Options for the retransmission timers of a command's connections: a mixin. */
public final class ProfileOptions {
  private static final String PROFILE = "--profile";
  private static final String ACK_TIMEOUT = "--ack-timeout";
  private static final String RETRY_COUNT = "--retry-count";
  private static final String STRICT_PROFILE = "--strict-profile";

  /** Names of these options. */
  public static final List<String> NAMES =
      List.of(PROFILE, ACK_TIMEOUT, RETRY_COUNT, STRICT_PROFILE);

  @Option(
      names = PROFILE,
      paramLabel = "NAME|FILE",
      description =
          "Retransmission profile of RT's connections: loopback, lan, lossy, wan, or a profile file; see rt adp (default: lan).")
  private String profile;

  @Option(
      names = ACK_TIMEOUT,
      paramLabel = "n",
      description =
          "Cap of every value of the profile, 4.096 us x 2^n, 0..31, 0 = none (default: 14, 67 ms; wan and lossy need 18).")
  private String ackTimeout;

  @Option(
      names = RETRY_COUNT,
      paramLabel = "n",
      description =
          "Factor of the total if the profile's qpTotalTimeout is true, 0..7 (default: 7).")
  private String retryCount;

  @Option(
      names = STRICT_PROFILE,
      description =
          "The profile's values alone: no floor of the measured round trip, no tail probe.")
  private boolean isStrict;

  /** Returns the given values, checked. */
  public AdpSettings read() {
    return AdpSettings.read(profile, ackTimeout, retryCount, isStrict);
  }

  /**
   * Refuses the first of these options that was given.
   *
   * @param valid the valid choice for the message
   * @throws InvalidValueException naming that option
   */
  public void refuse(String valid) {
    refuse(PROFILE, profile, valid);
    refuse(ACK_TIMEOUT, ackTimeout, valid);
    refuse(RETRY_COUNT, retryCount, valid);
    refuse(STRICT_PROFILE, isStrict ? "true" : null, valid);
  }

  private static void refuse(String name, String value, String valid) {
    if (value != null) {
      throw new InvalidValueException(name, value, valid);
    }
  }
}
