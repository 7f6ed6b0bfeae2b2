package io.rtransport.core.adp;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Step-by-step trace of a profile, for people. It drives {@link AdpTimer} with a string of timeouts
 * and progress, exactly as a path does, but without a path.
 *
 * <p>A timeout adds the value that was armed before it to the time without progress. Progress
 * resets that time to 0 and takes no time. The timeout that reaches the total is the last step. It
 * arms nothing and shows the last range and exponent. Stateless functions; any thread.
 */
public final class AdpTimeline {
  /** Cause of a step. Its JSON name is the lower-case name. */
  public enum Event {
    START,
    TIMEOUT,
    PROGRESS
  }

  /** How a timeline ended. */
  public enum End {
    /** All events were used. */
    RUNNING,
    /** The total was reached without progress. */
    RETRY_EXCEEDED
  }

  /** Value of {@link Step#timeoutNs} when nothing is armed. */
  public static final long NOTHING_ARMED = -1;

  /**
   * State after an event.
   *
   * @param event the event
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
   * Drives the timer through a string of events.
   *
   * @param events T (timeout) and P (progress); events after the end are ignored
   * @param floorNs the floor of rule 7, the same at each step; 0 = none; ignored with strictProfile
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
   * Returns how repeated progress leads down from the last state of a timeline until nothing
   * changes. The first element is the state before any progress; one step follows for each
   * progress. The values are those of a strict profile.
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

  /** Returns the steps, the start first. */
  public List<Step> steps() {
    return List.copyOf(steps);
  }

  /** Returns the nanoseconds without progress that end the timeline. */
  public long totalNs() {
    return totalNs;
  }

  public End end() {
    return end;
  }

  /**
   * Returns the JSON of docs/reference/adp.md: {@code {"steps": […], "totalMicros": …, "end": …}}.
   */
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
   * Returns microseconds as a number without loss: an integer if possible, otherwise a decimal. The
   * unit of ack_timeout, 4.096 µs, needs decimals.
   */
  public static Number micros(long ns) {
    return ns % 1_000 == 0 ? (Number) (ns / 1_000) : BigDecimal.valueOf(ns, 3).stripTrailingZeros();
  }
}
