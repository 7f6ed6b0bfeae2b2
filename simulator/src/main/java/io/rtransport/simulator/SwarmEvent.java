package io.rtransport.simulator;

/** Events that happen only in a swarm. Each has a column in the totals. */
enum SwarmEvent {
  HOSTS("hosts"),
  LINKS("links"),
  CONNECTIONS("connections"),
  RECONNECTS("reconnects"),
  OVERFLOWED("overflowed"),
  REPLAYED("replayed"),
  STALE("replayedAfterRestart"),
  OVERTAKEN("overtaken"),
  INJECTED("injected"),
  CLOGS("clogs"),
  ONE_WAYS("oneWays"),
  PARTITIONS("partitions"),
  NARROWED("narrowed"),
  CLOGGED("heldByClogs"),
  CUT("lostToCuts"),
  CRASHES("crashes"),
  UNHEARD("lostToCrashes"),
  CRASHED_ENDS("crashedEnds"),
  MOVES("moves"),
  ABORTS("aborts"),
  DEATHS_RETRY("deathsRetryExceeded"),
  DEATHS_IDLE("deathsIdle"),
  DEATHS_RESTARTED("deathsPeerRestarted"),
  DEATHS_RESET("deathsReset"),
  DEATHS_TOLD("deathsToldByPeer"),
  CONNECT_TIMEOUTS("connectTimeouts"),
  UNKNOWN("endedByDeath"),
  CUT_SHORT("cutShortByDeath"),
  TOKENS("retries"),
  RESETS("resets"),
  HALF_OPENS_EXPIRED("halfOpensExpired"),
  PINGS("pings"),
  STORE_FULL("storeFull"),
  WINDOW_FULL("congestionWindowFull"),
  SPACED("spacedByGap"),
  BESIDE_EXPIRY("besideExpiry"),
  DAMAGED_DROPPED("droppedDamaged"),
  BELOW_ZERO("clocksThroughZero");

  final String column;

  SwarmEvent(String column) {
    this.column = column;
  }
}
