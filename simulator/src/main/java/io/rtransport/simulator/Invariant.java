package io.rtransport.simulator;

/** Rules that every world must obey. */
public enum Invariant {
  /**
   * While the connection is open, every transaction is delivered and ends as its application
   * decided.
   */
  NO_LOSS,
  /** No transaction is delivered twice, and no byte of one is written twice. */
  NO_DUPLICATE,
  /** On an ordered connection deliveries and ends come in RSN order. */
  RSN_ORDER,
  /**
   * On an unordered connection a complete message is delivered at once, and an end that was told is
   * handed up at once.
   */
  INDEPENDENCE,
  /** The memory of a burst is not read after the call that brought the burst has returned. */
  LATE_READ,
  /** Bytes, lengths and application headers arrive as they were sent. */
  CONTENT,
  /** Each transaction ends exactly once, each payload source is released exactly once. */
  ONE_END,
  /**
   * An end says what the peer's application said. It is never a success before the application
   * acknowledged, and never a success for an error.
   */
  TRUE_OUTCOME,
  /**
   * A receipt is told once, before the end, of a push that has arrived completely, if a receipt was
   * wanted.
   */
  RECEIPT,
  /** No more leaves of a transaction that its application or its deadline gave up. */
  GIVEN_UP,
  /**
   * No entry tells of a transaction that its application gave up, except that it will never be
   * whole.
   */
  STALE_ENTRY,
  /**
   * The end of input is told once, after everything that the peer began before its FIN, and nothing
   * follows it.
   */
  END_OF_INPUT,
  /** No more unsolicited bytes are charged than the limit told. */
  CREDIT,
  /** No byte is granted twice, none is sent without a grant, and grants stay within the budget. */
  GRANTS,
  /**
   * A new packet takes the next PSN and transmission sequence. A resent one repeats its records.
   */
  NUMBERING,
  /** Only packets that were sent, and arrived undamaged, are acknowledged. */
  ACK_OF_THE_UNSENT,
  /**
   * An unvalidated address gets only challenges and answers to CONNECT, and at most three times its
   * bytes.
   */
  UNVALIDATED_ADDRESS,
  /**
   * No more packets are outstanding than the peer's window takes, as far as their sender has been
   * told.
   */
  WINDOW,
  /**
   * With a new packet, a path has no more in flight than its congestion window. A single packet in
   * flight is allowed with any window.
   */
  CONGESTION,
  /** With a congestion window below one packet, the next new packet leaves only after its gap. */
  PACING,
  /**
   * A packet is not resent before its answer can have come, not forever at one pace, and not too
   * late.
   */
  RESEND_TIMES,
  /** A connection dies only for a valid reason: silence for its total, or the end of its peer. */
  DEATH,
  /** Store, tables and queues stay within their capacities. */
  MEMORY,
  /** After the close every table, store and budget is as it was before the connection. */
  EMPTY_AFTER_CLOSE,
  /** Work is done within a bound of virtual time, and timers do not spin. */
  PROGRESS,
  /** The connection opens, and closes with the given reason. */
  LIFE_CYCLE,
  /** The product's counters agree with the wire. */
  COUNTERS,
  /** The same seed gives the same trace. */
  DETERMINISM,
  /** Nothing throws. */
  NO_EXCEPTION
}
