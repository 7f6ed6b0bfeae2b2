package io.rtransport.core.adp;

import java.util.Objects;

/**
 * What a register, a dump of it or a profile file selects for new connections: a profile, and
 * whether there is adaptation at all. Immutable; any thread.
 *
 * @param profile the profile; its total holds without adaptation too
 * @param isAdaptive roce_adp_retrans_en: false means a fixed timer of ack_timeout
 */
public record AdpSelection(AdpProfile profile, boolean isAdaptive) {
  public AdpSelection {
    Objects.requireNonNull(profile, "profile");
  }

  /**
   * The parameters of a connection that takes this: {@code others}, not adaptive if either says so.
   *
   * @throws InvalidProfileException if the two do not go together: the ack_timeout of {@code
   *     others} is 0, and the timer or the total is made of it
   */
  public AdpParameters parameters(AdpParameters others) {
    AdpParameters parameters = others.withAdaptive(others.adaptive() && isAdaptive);
    profile.totalNs(parameters);
    return parameters;
  }
}
