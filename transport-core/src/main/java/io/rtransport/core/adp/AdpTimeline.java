package io.rtransport.core.adp;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a profile does, step by step, for people: {@link AdpTimer} driven by a string of timeouts
 * and progress, exactly as a path drives it, without a path. A timeout adds the value that was
 * armed before it to the time without progress; progress sets that to 0 and costs no time. The
 * timeout by which the total is reached is the last step: it arms nothing, and shows the range and
 * exponent that ran out. Stateless functions; any thread.
 */
public final class AdpTimeline {
  /** What led to a step; its JSON name is the lower-case name. */
  public enum Event {
    START,
    TIMEOUT,
    PROGRESS
  }

  /** How a timeline ended. */
  public enum End {
    /** The events were used up. */
    RUNNING,
    /** The total was reached without progress. */
    RETRY_EXCEEDED
  }

  /** {@link Step#timeoutNs} where nothing is armed any more. */
  public static final long NOTHING_ARMED = -1;

  /**
   * The state after an event.
   *
   * @param event what happened
   * @param rangeIndex the current range or {@link AdpTimer#NO_RANGE}
   * @param exponent the current exponent
   * @param timeoutNs the value armed after the event, or {@link #NOTHING_ARMED}
   * @param noProgressNs time without progress so far
   */
  public record Step(
      Event event, int rangeIndex, int exponent, long timeoutNs, long noProgressNs) {}

  private final List<Step> steps = new ArrayList<>();
  private final long totalNs;
  private End end = End.RUNNING;

  private AdpTimeline(long totalNs) {
    this.totalNs = totalNs;
  }

  /**
   * Drives the machine.
   *
   * @param events T and P; what follows the end changes nothing
   * @param floorNs the floor of rule 7, the same throughout; 0 = none; ignored where the parameters
   *     say strictProfile
   * @throws InvalidProfileException if an event is neither T nor P, the initial exponent is outside
   *     the initial range, or no total can be made of profile and parameters
   */
  public static AdpTimeline drive(
      AdpProfile profile,
      AdpParameters parameters,
      int initialExponent,
      CharSequence events,
      long floorNs) {
    checkEvents(events);
    AdpTimer timer = new AdpTimer(profile, parameters, initialExponent);
    AdpTimeline timeline = new AdpTimeline(timer.totalNs());
    timeline.run(timer, events, floorNs);
    return timeline;
  }

  /**
   * How progress after progress leads from the last state of a timeline down to where it changes no
   * more: the state before the first, then one step each. The values are strict.
   */
  public static List<Step> wayBack(
      AdpProfile profile, AdpParameters parameters, int initialExponent, AdpTimeline timeline) {
    AdpTimer timer = new AdpTimer(profile, parameters.withStrictProfile(true), initialExponent);
    List<Step> steps = timeline.steps();
    for (int i = 1; i < steps.size(); i++) {
      if (steps.get(i).event() == Event.PROGRESS) {
        timer.onProgress();
      } else if (steps.get(i).timeoutNs() != NOTHING_ARMED) {
        timer.onTimeout();
      }
    }
    List<Step> way = new ArrayList<>();
    Step last;
    Step next =
        new Step(Event.PROGRESS, timer.rangeIndex(), timer.exponent(), timer.timeoutNs(0), 0);
    do {
      way.add(next);
      last = next;
      timer.onProgress();
      next = new Step(Event.PROGRESS, timer.rangeIndex(), timer.exponent(), timer.timeoutNs(0), 0);
    } while (!next.equals(last));
    return way;
  }

  private static void checkEvents(CharSequence events) {
    for (int i = 0; i < events.length(); i++) {
      if (events.charAt(i) != 'T' && events.charAt(i) != 'P') {
        throw new InvalidProfileException("events", events, "only T (timeout) and P (progress)");
      }
    }
  }

  private void run(AdpTimer timer, CharSequence events, long floorNs) {
    long armedNs = timer.timeoutNs(floorNs);
    long noProgressNs = 0;
    steps.add(new Step(Event.START, timer.rangeIndex(), timer.exponent(), armedNs, 0));
    for (int i = 0; i < events.length(); i++) {
      boolean isTimeout = events.charAt(i) == 'T';
      if (isTimeout) {
        noProgressNs =
            armedNs > Long.MAX_VALUE - noProgressNs ? Long.MAX_VALUE : noProgressNs + armedNs;
        if (noProgressNs >= totalNs) {
          steps.add(
              new Step(
                  Event.TIMEOUT,
                  timer.rangeIndex(),
                  timer.exponent(),
                  NOTHING_ARMED,
                  noProgressNs));
          end = End.RETRY_EXCEEDED;
          return;
        }
        timer.onTimeout();
      } else {
        noProgressNs = 0;
        timer.onProgress();
      }
      armedNs = timer.timeoutNs(floorNs);
      Event event = isTimeout ? Event.TIMEOUT : Event.PROGRESS;
      steps.add(new Step(event, timer.rangeIndex(), timer.exponent(), armedNs, noProgressNs));
    }
  }

  /** The steps, the start first. */
  public List<Step> steps() {
    return List.copyOf(steps);
  }

  /** Nanoseconds without progress that end it. */
  public long totalNs() {
    return totalNs;
  }

  public End end() {
    return end;
  }

  /** The JSON of docs/reference/adp.md: {@code {"steps": […], "totalMicros": …, "end": …}}. */
  public Map<String, Object> toMap() {
    List<Object> list = new ArrayList<>(steps.size());
    for (Step step : steps) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("event", step.event().name().toLowerCase(Locale.ROOT));
      map.put("range", step.rangeIndex() == AdpTimer.NO_RANGE ? null : step.rangeIndex());
      map.put("exponent", step.exponent());
      map.put("timeoutMicros", step.timeoutNs() == NOTHING_ARMED ? null : micros(step.timeoutNs()));
      map.put("noProgressMicros", micros(step.noProgressNs()));
      list.add(map);
    }
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("steps", list);
    map.put("totalMicros", micros(totalNs));
    map.put("end", end.name());
    return map;
  }

  /**
   * Microseconds as a number without loss: whole where it is whole; ack_timeout is made of 4.096
   * µs.
   */
  public static Number micros(long ns) {
    return ns % 1_000 == 0 ? (Number) (ns / 1_000) : BigDecimal.valueOf(ns, 3).stripTrailingZeros();
  }
}
