package io.rtransport.netty.control;

import io.netty.channel.ChannelOption;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.BuiltInProfiles;
import io.rtransport.core.text.Quantity;
import io.rtransport.netty.RtChannelOption;
import java.util.ArrayList;
import java.util.List;

/**
 * A command's retransmission settings, as they were typed: {@code --profile}, {@code
 * --ack-timeout}, {@code --retry-count} and {@code --strict-profile}. Immutable; any thread.
 */
public final class AdpSettings {
  /** Settings of a command line without any of these options: channels keep their own settings. */
  public static final AdpSettings NONE = read(null, null, null, false);

  private final List<String> arguments = new ArrayList<>();
  private final AdpSelection selection;
  private final AdpParameters parameters;

  private AdpSettings(AdpSelection selection, AdpParameters parameters) {
    this.selection = selection;
    this.parameters = parameters;
  }

  /**
   * Reads the typed options; null stands for an option that was not typed.
   *
   * @param profile name of a built-in profile, or path of a profile file
   * @throws io.rtransport.core.text.InvalidValueException that names the option, or the field of
   *     the file, or the two values that contradict each other
   */
  public static AdpSettings read(
      String profile, String ackTimeout, String retryCount, boolean isStrict) {
    AdpParameters parameters = AdpParameters.DEFAULT.withStrictProfile(isStrict);
    if (ackTimeout != null) {
      long n = Quantity.count("--ack-timeout", ackTimeout, 0, AdpParameters.ACK_TIMEOUT_MAX);
      parameters = parameters.withAckTimeout((int) n);
    }
    if (retryCount != null) {
      long n = Quantity.count("--retry-count", retryCount, 0, AdpParameters.RETRY_COUNT_MAX);
      parameters = parameters.withRetryCount((int) n);
    }
    AdpSelection selection = profile == null ? null : ProfileFile.selection("--profile", profile);
    AdpSettings settings = new AdpSettings(selection, parameters);
    settings.whole(); // refuses values that contradict each other
    settings.addArgument("--profile", profile);
    settings.addArgument("--ack-timeout", ackTimeout);
    settings.addArgument("--retry-count", retryCount);
    if (isStrict) {
      settings.arguments.add("--strict-profile");
    }
    return settings;
  }

  private void addArgument(String option, String value) {
    if (value != null) {
      arguments.add(option);
      arguments.add(value);
    }
  }

  private AdpParameters whole() {
    AdpSelection selected =
        selection == null ? new AdpSelection(BuiltInProfiles.DEFAULT, true) : selection;
    return selected.parameters(parameters);
  }

  /** Returns the profile and whether it adapts; null if no profile was typed. */
  public AdpSelection selection() {
    return selection;
  }

  /** Returns the parameters of the channels, as typed; the selection does not change them. */
  public AdpParameters parameters() {
    return parameters;
  }

  /** Returns the typed options, for another process of this host. */
  public List<String> arguments() {
    return List.copyOf(arguments);
  }

  /** Takes an option, as a method of a bootstrap or of a configuration does. */
  public interface Options {
    /** Sets {@code option}. */
    <T> void set(ChannelOption<T> option, T value);
  }

  /** Sets all typed values as a channel's own: {@code settings.applyTo(bootstrap::option)}. */
  public void applyTo(Options options) {
    if (selection != null) {
      options.set(RtChannelOption.PROFILE, selection.profile());
    }
    options.set(RtChannelOption.PROFILE_PARAMETERS, whole());
  }
}
