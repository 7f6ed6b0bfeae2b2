package io.rtransport.simulator;

/** The rules a world is held to. */
public enum Invariant {
  /**
   * While the connection is open every transaction is delivered and ends as its application
   * decided.
   */
  NO_LOSS,
  /** No transaction is delivered twice, no byte of one is written twice. */
  NO_DUPLICATE,
  /** On an ordered connection deliveries and ends come in RSN order. */
  RSN_ORDER,
  /**
   * On an unordered connection a message that has come whole is delivered at once, and an end that
   * was told handed up.
   */
  INDEPENDENCE,
  /** What a burst lies in is not read any more once the call that brought it has returned. */
  LATE_READ,
  /** Bytes, lengths and application headers arrive as they were sent. */
  CONTENT,
  /** Each transaction ends exactly once, each payload source is released exactly once. */
  ONE_END,
  /**
   * An end says what the peer's application said: never success before it acknowledged, never
   * success for an error.
   */
  TRUE_OUTCOME,
  /**
   * A receipt is told once, before the end, of a push that has arrived wholly, and of which one was
   * wanted.
   */
  RECEIPT,
  /** Of what its application gave up, or its deadline did, no more leaves. */
  GIVEN_UP,
  /** Of what its application gave up no more is told, but that it will never be whole. */
  STALE_ENTRY,
  /**
   * The end of input is told once, after all that the peer began before its FIN, and nothing comes
   * after it.
   */
  END_OF_INPUT,
  /** Never more unsolicited bytes are charged than the limit told. */
  CREDIT,
  /** No byte is granted twice, none is sent without a grant, and grants stay within the budget. */
  GRANTS,
  /**
   * A new packet takes the next PSN and transmission sequence; a resent one repeats its records.
   */
  NUMBERING,
  /** Only what was sent, and arrived undamaged, is acknowledged. */
  ACK_OF_THE_UNSENT,
  /**
   * An address that has not proved itself gets challenges and answers to CONNECT only, and three
   * times its bytes at the most.
   */
  UNVALIDATED_ADDRESS,
  /**
   * No more packets are outstanding than the peer's window takes, as far as their sender has been
   * told.
   */
  WINDOW,
  /**
   * With a new packet a path has no more in flight than its congestion window, but for that packet
   * alone.
   */
  CONGESTION,
  /** A congestion window below one packet lets the next new one leave after its gap only. */
  PACING,
  /**
   * A packet is resent neither before its answer can have come, nor for ever at one pace, nor
   * never.
   */
  RESEND_TIMES,
  /** A connection dies only of what can kill it: silence for its total, the end of its peer. */
  DEATH,
  /** Store, tables and queues stay within their capacities. */
  MEMORY,
  /** After the close every table, store and budget is as it was before the connection. */
  EMPTY_AFTER_CLOSE,
  /** Work gets done within a bound of virtual time, and timers do not spin. */
  PROGRESS,
  /** The connection opens, and closes with the reason that was given. */
  LIFE_CYCLE,
  /** The product's counters agree with what was seen on the wire. */
  COUNTERS,
  /** The same seed gives the same trace. */
  DETERMINISM,
  /** Nothing throws. */
  NO_EXCEPTION
}
