package io.rtransport.loadgen;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.transceiver.QueueSettings;
import java.util.List;

/**
 * Reads the flags of RT's queues: whether a run uses them, and how their consumer is woken. It
 * checks each value, and refuses what queues do not have. Stateless.
 */
final class QueueFlagReader {
  /** Options that do not apply to other ways to use RT, nor to other transports. */
  static final List<String> NAMES = List.of("--moderation", "--wake");

  private static final String TRANSPORT = "rt:queue";
  private static final String QUEUE = "queue";
  private static final String AUTO = "auto";
  private static final String WITH_QUEUES = "with --api queue or rt:queue only";

  private QueueFlagReader() {}

  /** Returns whether {@code transport} is used through queues. */
  static boolean isQueue(LoadFlags flags, String transport) {
    return transport.equals(TRANSPORT) || transport.startsWith("rt") && QUEUE.equals(flags.api);
  }

  /**
   * Reads the flags.
   *
   * @param moderation the delay as typed, auto, or null
   * @param isBesideRt whether an API that is rt's is ignored
   * @param isBesideQueue whether options of queues are ignored where there are none
   * @return the settings, or null where {@code transport} is not used through queues
   * @throws InvalidValueException naming the first option that is wrong
   */
  static QueueSettings read(
      LoadFlags flags,
      String transport,
      String moderation,
      boolean isBesideRt,
      boolean isBesideQueue) {
    boolean isApi = flags.api.equals("channel") || flags.api.equals(QUEUE);
    refuse("--api", isApi ? null : flags.api, "channel or queue");
    boolean isRt = transport.startsWith("rt");
    refuse(
        "--api",
        isRt || isBesideRt || !flags.api.equals(QUEUE) ? null : flags.api,
        "channel: only rt has queues");
    if (!isQueue(flags, transport)) {
      refuse("--moderation", isBesideQueue ? null : moderation, WITH_QUEUES);
      refuse("--wake", isBesideQueue ? null : flags.wake, WITH_QUEUES);
      return null;
    }
    boolean isCompleted = flags.completion.equals("completed");
    refuse("--completion", isCompleted ? null : flags.completion, "completed with queues");
    refuse("--shared-port", flags.sharedPort ? "true" : null, "not with queues");
    boolean wakeAtOnce = wakeAtOnce(flags.wake);
    if (AUTO.equals(moderation)) {
      refuse("--wake", wakeAtOnce ? flags.wake : null, "delay with --moderation auto");
      return new QueueSettings(QueueSettings.SELF_TUNING, false);
    }
    return new QueueSettings(delayNs(moderation), wakeAtOnce);
  }

  private static long delayNs(String moderation) {
    if (moderation == null) {
      return QueueSettings.DELAY_NS_DEFAULT;
    }
    try {
      return Quantity.durationNs("--moderation", moderation, 0, QueueSettings.DELAY_NS_MAX);
    } catch (InvalidValueException e) {
      throw new InvalidValueException(
          "--moderation", moderation, "a time such as 50us in 0us..10s, or auto");
    }
  }

  private static boolean wakeAtOnce(String wake) {
    if (wake == null) {
      return true;
    }
    return switch (wake) {
      case "at-once" -> true;
      case "delay" -> false;
      default -> throw new InvalidValueException("--wake", wake, "at-once or delay");
    };
  }

  private static void refuse(String name, String value, String valid) {
    if (value != null) {
      throw new InvalidValueException(name, value, valid);
    }
  }
}
