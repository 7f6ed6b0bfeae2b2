package io.rtransport.command;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.netty.control.AdpSettings;
import java.util.List;
import picocli.CommandLine.Option;

/** The options that say how a command's connections wait for answers: a mixin. */
public final class ProfileOptions {
  private static final String PROFILE = "--profile";
  private static final String ACK_TIMEOUT = "--ack-timeout";
  private static final String RETRY_COUNT = "--retry-count";
  private static final String STRICT_PROFILE = "--strict-profile";

  /** Their names. */
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

  /** What was typed, checked. */
  public AdpSettings read() {
    return AdpSettings.read(profile, ackTimeout, retryCount, isStrict);
  }

  /**
   * Refuses the first of them that was typed.
   *
   * @param valid what the message says would be valid
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
