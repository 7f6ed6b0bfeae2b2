package io.rtransport.loadgen;

import io.rtransport.core.text.InvalidValueException;
import io.rtransport.core.text.Quantity;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.impair.RailEvent;
import io.rtransport.loadgen.impair.RailState;
import io.rtransport.loadgen.impair.Rails;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** Reads the rails of {@link LoadFlags}: their number, impairment, kills and restores. */
final class RailFlagReader {
  private static final long DELAY_NS_MAX = 10_000_000_000L;
  private static final long BANDWIDTH_MAX = 1_000_000_000_000L;
  private static final String KILL = "--kill-rail";
  private static final String RESTORE = "--restore-rail";

  private final LoadFlags flags;
  private final int count;

  private RailFlagReader(LoadFlags flags) {
    this.flags = flags;
    this.count = (int) Quantity.count("--rails", flags.rails, 1, Rails.COUNT_MAX);
  }

  /**
   * Reads the rails.
   *
   * @param durationNs the measured time, in which rails may be killed
   * @throws InvalidValueException naming the first option that is wrong
   */
  static Rails read(LoadFlags flags, long durationNs) {
    RailFlagReader reader = new RailFlagReader(flags);
    return new Rails(reader.impairments(), reader.events(durationNs));
  }

  private List<Impairment> impairments() {
    List<Double> losses =
        ofEachRail("--loss", flags.loss, 0.0, text -> Quantity.probability("--loss", text));
    List<Long> delays =
        ofEachRail(
            "--delay",
            flags.delay,
            0L,
            text -> Quantity.durationNs("--delay", text, 0, DELAY_NS_MAX));
    List<Long> bandwidths =
        ofEachRail(
            "--bandwidth",
            flags.bandwidth,
            0L,
            text -> Quantity.bandwidthBits("--bandwidth", text, 0, BANDWIDTH_MAX));
    long jitterNs = Quantity.durationNs("--jitter", flags.jitter, 0, DELAY_NS_MAX);
    double reorder = Quantity.probability("--reorder", flags.reorder);
    double duplicate = Quantity.probability("--duplicate", flags.duplicate);
    double corrupt = Quantity.probability("--corrupt", flags.corrupt);
    List<Impairment> impairments = new ArrayList<>();
    for (int rail = 0; rail < count; rail++) {
      impairments.add(
          new Impairment(
              losses.get(rail),
              delays.get(rail),
              jitterNs,
              reorder,
              duplicate,
              corrupt,
              bandwidths.get(rail)));
    }
    return impairments;
  }

  /**
   * Returns the value for each rail. A value with {@code @RAIL} is for that rail; one without is
   * for the rails that have none of their own.
   */
  private <T> List<T> ofEachRail(
      String name, List<String> texts, T none, Function<String, T> parser) {
    List<T> own = new ArrayList<>(Collections.nCopies(count, null));
    T others = null;
    for (String part : parts(texts)) {
      int at = part.indexOf('@');
      T value = parser.apply(at < 0 ? part : part.substring(0, at));
      int rail = at < 0 ? -1 : rail(name, part, part.substring(at + 1));
      if ((rail < 0 ? others : own.get(rail)) != null) {
        throw new InvalidValueException(
            name, String.join(",", texts), "one value for each rail, and one without @RAIL");
      }
      if (rail < 0) {
        others = value;
      } else {
        own.set(rail, value);
      }
    }
    T all = others == null ? none : others;
    return own.stream().map(value -> value == null ? all : value).toList();
  }

  private static List<String> parts(List<String> texts) {
    return texts == null
        ? List.of()
        : texts.stream().flatMap(t -> Arrays.stream(t.split(",", -1))).map(String::strip).toList();
  }

  private int rail(String name, String part, String text) {
    if (!text.matches("\\d{1,3}") || Integer.parseInt(text) >= count) {
      throw new InvalidValueException(name, part, "a rail 0.." + (count - 1) + " of --rails");
    }
    return Integer.parseInt(text);
  }

  private List<RailEvent> events(long durationNs) {
    List<RailEvent> events = new ArrayList<>();
    for (String part : parts(flags.killRail)) {
      events.add(event(KILL, part, durationNs));
    }
    for (String part : parts(flags.restoreRail)) {
      events.add(event(RESTORE, part, durationNs));
    }
    events.sort(Comparator.comparingLong(RailEvent::atNs));
    for (int rail = 0; rail < count; rail++) {
      checkOrder(rail, events);
    }
    return events;
  }

  private RailEvent event(String name, String part, long durationNs) {
    boolean isKill = name.equals(KILL);
    String form = isKill ? "RAIL@T, RAIL@T:close, RAIL@T:out or RAIL@T:back" : "RAIL@T";
    String valid = form + " with T from 0 to the duration, " + Quantity.duration(durationNs);
    int at = part.indexOf('@');
    if (at < 0) {
      throw new InvalidValueException(name, part, valid);
    }
    int rail = rail(name, part, part.substring(0, at));
    int colon = part.indexOf(':', at);
    String time = part.substring(at + 1, colon < 0 ? part.length() : colon);
    String suffix = colon < 0 ? "" : part.substring(colon);
    for (RailState state : RailState.values()) {
      if (isKill == (state != RailState.LIVE) && state.suffix().equals(suffix)) {
        try {
          return new RailEvent(rail, Quantity.durationNs(name, time, 0, durationNs), state);
        } catch (InvalidValueException e) {
          throw new InvalidValueException(name, part, valid);
        }
      }
    }
    throw new InvalidValueException(name, part, valid);
  }

  /** A rail is killed, restored, killed again, each later than the one before. */
  private static void checkOrder(int rail, List<RailEvent> events) {
    RailEvent last = null;
    for (RailEvent event : events) {
      if (event.rail() != rail) {
        continue;
      }
      boolean isKilled = last != null && !last.isRestore();
      boolean isLater = last == null || event.atNs() > last.atNs();
      if (event.isRestore() != isKilled || !isLater) {
        String since = last == null ? "" : " and later than " + Quantity.duration(last.atNs());
        throw new InvalidValueException(
            event.isRestore() ? RESTORE : KILL,
            event.text(),
            event.isRestore()
                ? "a restore only after a kill of the same rail" + since
                : "a kill only of a rail that is not killed yet" + since);
      }
      last = event;
    }
  }
}
