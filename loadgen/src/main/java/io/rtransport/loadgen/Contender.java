package io.rtransport.loadgen;

import io.rtransport.core.text.InvalidValueException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One of those that a comparison measures: a transport, and where it is used through queues, the
 * delay of its consumers. Several delays make as many contenders of each such transport.
 *
 * @param label its name in the results: the transport, with {@code @} and the delay if there are
 *     several
 * @param moderation the delay as typed, or auto; null: as the transport has it
 */
record Contender(String label, String transport, String moderation) {
  /**
   * Returns the contenders, in order.
   *
   * @throws InvalidValueException if a delay is there twice
   */
  static List<Contender> of(List<String> transports, LoadFlags flags) {
    List<String> delays = delays(flags.moderation);
    List<Contender> contenders = new ArrayList<>();
    for (String transport : transports) {
      if (delays.isEmpty() || !QueueFlagReader.isQueue(flags, transport)) {
        contenders.add(new Contender(transport, transport, null));
      } else if (delays.size() == 1) {
        contenders.add(new Contender(transport, transport, delays.get(0)));
      } else {
        delays.forEach(
            delay -> contenders.add(new Contender(transport + "@" + delay, transport, delay)));
      }
    }
    return contenders;
  }

  private static List<String> delays(String moderation) {
    if (moderation == null) {
      return List.of();
    }
    List<String> delays = List.of(moderation.split(",", -1));
    Set<String> different = new HashSet<>(delays);
    if (different.size() != delays.size()) {
      throw new InvalidValueException("--moderation", moderation, "each value once");
    }
    return delays;
  }
}
