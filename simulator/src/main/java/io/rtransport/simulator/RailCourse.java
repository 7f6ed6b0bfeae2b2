package io.rtransport.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What each rail of a {@link RailWorld} carried for host 0, and its health, in steps of 100 ms. */
final class RailCourse {
  static final long STEP_NS = 100_000_000;

  /** Asks a host for the health of a rail. */
  interface Healths {
    int of(int host, int rail);
  }

  private record Step(long[] packets, int[] healths) {}

  private final int railCount;
  private final long startNs;
  private final List<Step> steps = new ArrayList<>();
  private long[] packets;

  RailCourse(int railCount, long startNs) {
    this.railCount = railCount;
    this.startNs = startNs;
    this.packets = new long[railCount];
  }

  void onSent(int host, int rail, long nowNs) {
    packets[rail] += host == 0 ? 1 : 0;
  }

  void advance(long nowNs, Healths healths) {
    while (nowNs - startNs >= (steps.size() + 1) * STEP_NS) {
      int[] now = new int[railCount];
      for (int i = 0; i < railCount; i++) {
        now[i] = healths.of(0, i);
      }
      steps.add(new Step(packets, now));
      packets = new long[railCount];
    }
  }

  /** Returns the share of packets that a rail carried from one time after the start to another. */
  double share(int rail, long fromNs, long toNs) {
    double all = 0;
    double its = 0;
    for (int i = (int) (fromNs / STEP_NS); i < toNs / STEP_NS && i < steps.size(); i++) {
      for (int r = 0; r < railCount; r++) {
        all += steps.get(i).packets[r];
      }
      its += steps.get(i).packets[rail];
    }
    return all == 0 ? 0 : its / all;
  }

  /** Returns the health of a rail at a time after the start. */
  int health(int rail, long atNs) {
    return steps.get((int) Math.min(atNs / STEP_NS, steps.size() - 1)).healths[rail];
  }

  /** Returns a table with one row of health and share for each half second. */
  String table(int rail, long toNs) {
    long half = 5 * STEP_NS;
    StringBuilder table = new StringBuilder("| from, s | health | share |\n|---|---|---|\n");
    for (long atNs = 0; atNs < toNs; atNs += half) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %.1f | %d | %.1f %% |\n",
              atNs / 1e9,
              health(rail, atNs + half - 1),
              100 * share(rail, atNs, atNs + half)));
    }
    return table.toString();
  }
}
