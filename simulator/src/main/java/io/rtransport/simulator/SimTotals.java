package io.rtransport.simulator;

import io.rtransport.core.parameter.ConnectionConfig;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Counts of one world, or of many. A column that is zero over many worlds shows that something was
 * not tested.
 */
public final class SimTotals {
  /** Worlds run. */
  public long worlds;

  long unorderedWorlds;
  long deliveredOutOfOrder;
  long endedOutOfOrder;
  long transactions;
  long bytes;
  long packets;
  long bursts;
  long burstPackets;
  long dropped;
  long duplicated;
  long reordered;
  long corrupted;
  long outages;

  /**
   * Datagrams that vanished because they were longer than the path's MTU; packets made shorter; and
   * records that left again because of that.
   */
  long tooLong;

  long shortened;
  long displaced;

  /** Times that a connection found a path for longer datagrams, or only for shorter ones. */
  long mtuRaised;

  long blackHoles;
  long pauses;
  long early;
  long probe;
  long timeout;
  long spurious;
  long spuriousTimeouts;

  /**
   * Connections by their congestion control, and waits of connections whose window was below one
   * packet.
   */
  private final long[] controlled = new long[ConnectionConfig.Congestion.values().length];

  long paced;

  /** Times that submissions waited for others to share a packet. */
  long flushesHeld;

  /**
   * Times that completions without a waiting initiator were held back, and how often they then left
   * with something else.
   */
  long completionsHeld;

  long completionsRidden;

  long wrapsRequestPsn;
  long wrapsDataPsn;
  long wrapsRsn;
  long wrapsSsn;
  long wrapsTransmission;
  long unsolicited;
  long solicited;
  long pulls;
  long grants;
  long partialGrants;
  long refusedSubmissions;
  long partialTakes;
  long laterOpens;

  /** Messages at which a sink failed, and their bytes that were never sent. */
  long brokenSinks;

  long sparedBytes;
  long completions;
  long errors;
  long refusedAtClose;

  /** FINs without a close, and connections that ended by both sides' FINs alone. */
  long halfCloses;

  /** Pushes taken from the application's ready ones, without a submission. */
  long readyPushes;

  long passedPushes;

  long closedByHalves;
  long pathsMoved;
  long pathChallenges;
  long misdirected;
  long forged;

  /**
   * Transactions given up in time, how many of them ended so, and how many before anything had
   * left.
   */
  long cancels;

  long receipts;

  /** Transactions with a deadline, and those that it ended. */
  long deadlines;

  long overdue;

  long cancelled;
  long resyncs;

  /** Of those, the ones that ended in their queue, without an RSN. */
  long givenUpInQueues;

  private final long[] swarm = new long[SwarmEvent.values().length];

  void count(ConnectionConfig.Congestion control) {
    controlled[control.ordinal()]++;
  }

  void count(SwarmEvent event) {
    swarm[event.ordinal()]++;
  }

  void count(SwarmEvent event, long times) {
    swarm[event.ordinal()] += times;
  }

  /** Adds another's counts to these. */
  public void add(SimTotals other) {
    for (int i = 0; i < swarm.length; i++) {
      swarm[i] += other.swarm[i];
    }
    worlds += other.worlds;
    unorderedWorlds += other.unorderedWorlds;
    deliveredOutOfOrder += other.deliveredOutOfOrder;
    endedOutOfOrder += other.endedOutOfOrder;
    transactions += other.transactions;
    bytes += other.bytes;
    packets += other.packets;
    bursts += other.bursts;
    burstPackets += other.burstPackets;
    dropped += other.dropped;
    duplicated += other.duplicated;
    reordered += other.reordered;
    corrupted += other.corrupted;
    outages += other.outages;
    tooLong += other.tooLong;
    shortened += other.shortened;
    displaced += other.displaced;
    mtuRaised += other.mtuRaised;
    blackHoles += other.blackHoles;
    pauses += other.pauses;
    early += other.early;
    probe += other.probe;
    timeout += other.timeout;
    spurious += other.spurious;
    spuriousTimeouts += other.spuriousTimeouts;
    paced += other.paced;
    flushesHeld += other.flushesHeld;
    completionsHeld += other.completionsHeld;
    completionsRidden += other.completionsRidden;
    for (int i = 0; i < controlled.length; i++) {
      controlled[i] += other.controlled[i];
    }
    wrapsRequestPsn += other.wrapsRequestPsn;
    wrapsDataPsn += other.wrapsDataPsn;
    wrapsRsn += other.wrapsRsn;
    wrapsSsn += other.wrapsSsn;
    wrapsTransmission += other.wrapsTransmission;
    unsolicited += other.unsolicited;
    solicited += other.solicited;
    pulls += other.pulls;
    grants += other.grants;
    partialGrants += other.partialGrants;
    refusedSubmissions += other.refusedSubmissions;
    partialTakes += other.partialTakes;
    laterOpens += other.laterOpens;
    brokenSinks += other.brokenSinks;
    sparedBytes += other.sparedBytes;
    completions += other.completions;
    errors += other.errors;
    refusedAtClose += other.refusedAtClose;
    cancels += other.cancels;
    receipts += other.receipts;
    deadlines += other.deadlines;
    overdue += other.overdue;
    cancelled += other.cancelled;
    resyncs += other.resyncs;
    givenUpInQueues += other.givenUpInQueues;
    halfCloses += other.halfCloses;
    readyPushes += other.readyPushes;
    passedPushes += other.passedPushes;
    closedByHalves += other.closedByHalves;
    pathsMoved += other.pathsMoved;
    pathChallenges += other.pathChallenges;
    misdirected += other.misdirected;
    forged += other.forged;
  }

  /** Returns every column by name, in the order of display. */
  public Map<String, Long> columns() {
    Map<String, Long> columns = new LinkedHashMap<>();
    columns.put("worlds", worlds);
    columns.put("unorderedWorlds", unorderedWorlds);
    columns.put("deliveredOutOfOrder", deliveredOutOfOrder);
    columns.put("endedOutOfOrder", endedOutOfOrder);
    columns.put("transactions", transactions);
    columns.put("bytes", bytes);
    columns.put("packets", packets);
    columns.put("bursts", bursts);
    columns.put("burstPackets", burstPackets);
    columns.put("dropped", dropped);
    columns.put("duplicated", duplicated);
    columns.put("reordered", reordered);
    columns.put("corrupted", corrupted);
    columns.put("outages", outages);
    columns.put("tooLong", tooLong);
    columns.put("packetsShortened", shortened);
    columns.put("recordsDisplaced", displaced);
    columns.put("mtuRaised", mtuRaised);
    columns.put("mtuBlackHoles", blackHoles);
    columns.put("pauses", pauses);
    columns.put("retransmitsEarly", early);
    columns.put("retransmitsProbe", probe);
    columns.put("retransmitsTimeout", timeout);
    columns.put("retransmitsSpurious", spurious);
    columns.put("timeoutsSpurious", spuriousTimeouts);
    for (ConnectionConfig.Congestion control : ConnectionConfig.Congestion.values()) {
      String name = control.name().toLowerCase(Locale.ROOT);
      columns.put(
          "controlledBy" + Character.toUpperCase(name.charAt(0)) + name.substring(1),
          controlled[control.ordinal()]);
    }
    columns.put("paced", paced);
    columns.put("flushesHeld", flushesHeld);
    columns.put("completionsHeld", completionsHeld);
    columns.put("completionsRidden", completionsRidden);
    columns.put("wrapsRequestPsn", wrapsRequestPsn);
    columns.put("wrapsDataPsn", wrapsDataPsn);
    columns.put("wrapsRsn", wrapsRsn);
    columns.put("wrapsSsn", wrapsSsn);
    columns.put("wrapsTransmissionSequence", wrapsTransmission);
    columns.put("unsolicited", unsolicited);
    columns.put("solicited", solicited);
    columns.put("pulls", pulls);
    columns.put("grants", grants);
    columns.put("partialGrants", partialGrants);
    columns.put("refusedSubmissions", refusedSubmissions);
    columns.put("partialTakes", partialTakes);
    columns.put("laterOpens", laterOpens);
    columns.put("brokenSinks", brokenSinks);
    columns.put("sparedBytes", sparedBytes);
    columns.put("completions", completions);
    columns.put("errors", errors);
    columns.put("refusedAtClose", refusedAtClose);
    columns.put("cancels", cancels);
    columns.put("receipts", receipts);
    columns.put("cancelled", cancelled);
    columns.put("deadlines", deadlines);
    columns.put("overdue", overdue);
    columns.put("resyncs", resyncs);
    if (givenUpInQueues > 0) { // only of hosts with queues
      columns.put("givenUpInQueues", givenUpInQueues);
    }
    columns.put("halfCloses", halfCloses);
    columns.put("readyPushes", readyPushes);
    columns.put("passedPushes", passedPushes);
    columns.put("closedByHalves", closedByHalves);
    columns.put("pathsMoved", pathsMoved);
    columns.put("pathChallenges", pathChallenges);
    columns.put("misdirected", misdirected);
    columns.put("forged", forged);
    if (swarm[SwarmEvent.HOSTS.ordinal()] > 0) {
      columns.remove("outages"); // only of a pair's network; a swarm names its faults
      for (SwarmEvent event : SwarmEvent.values()) {
        columns.put(event.column, swarm[event.ordinal()]);
      }
    }
    return columns;
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    columns().forEach((name, value) -> text.append(String.format("  %-26s %,15d%n", name, value)));
    return text.toString();
  }
}
