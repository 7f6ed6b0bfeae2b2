package io.rtransport.core.adp;

import java.util.Objects;

/**
 * Selection of a register, a dump of it or a profile file for new connections: a profile, and
 * whether the timer adapts. Immutable; any thread.
 *
 * @param profile the profile; its total also applies without adaptation
 * @param isAdaptive roce_adp_retrans_en: false means a fixed timer of ack_timeout
 */
public record AdpSelection(AdpProfile profile, boolean isAdaptive) {
  public AdpSelection {
    Objects.requireNonNull(profile, "profile");
  }

  /**
   * Returns the parameters of a connection with this selection: {@code others}, adaptive only if
   * both are.
   *
   * @throws InvalidProfileException if the two conflict: the ack_timeout of {@code others} is 0,
   *     and the timer or the total is made of it
   */
  public AdpParameters parameters(AdpParameters others) {
    AdpParameters parameters = others.withAdaptive(others.adaptive() && isAdaptive);
    profile.totalNs(parameters);
    return parameters;
  }
}
