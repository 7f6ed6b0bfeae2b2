package io.rtransport.simulator;

import java.util.PriorityQueue;

/**
 * Later actions of an application, by virtual time. Actions of the same time run in the order of
 * their requests.
 */
final class SimSchedule {
  private record Action(long atNs, long serial, Runnable work) {}

  private final PriorityQueue<Action> actions =
      new PriorityQueue<>(
          (a, b) ->
              a.atNs != b.atNs ? Long.compare(a.atNs, b.atNs) : Long.compare(a.serial, b.serial));
  private long serial;
  private long nowNs;

  /** Sets the time that {@link #nowNs} returns, before the host is called. */
  void now(long virtualNs) {
    nowNs = virtualNs;
  }

  long nowNs() {
    return nowNs;
  }

  void at(long atNs, Runnable work) {
    actions.add(new Action(atNs, serial++, work));
  }

  long nextNs() {
    return actions.isEmpty() ? Long.MAX_VALUE : actions.peek().atNs;
  }

  /** Removes all actions. */
  void clear() {
    actions.clear();
  }

  /** Runs everything that is due. An action added for now waits for the next call. */
  void run(long virtualNs) {
    nowNs = virtualNs;
    long last = serial;
    while (!actions.isEmpty() && actions.peek().atNs <= virtualNs && actions.peek().serial < last) {
      actions.poll().work.run();
    }
  }
}
