package io.rtransport.loadgen.workload;

/**
 * When messages are sent. Immutable.
 *
 * @param pace what makes the next message due
 * @param ratePerSecond of one event loop's connections together; {@link Pace#OPEN} only
 * @param inFlight messages without completion a connection; {@link Pace#CLOSED} only
 * @param sizes of messages
 */
public record Plan(Pace pace, double ratePerSecond, int inFlight, SizeMix sizes) {
  /** What makes the next message due. */
  public enum Pace {
    /** The clock: a message late for whatever reason has its lateness in its latency. */
    OPEN,
    /** A completion: so many in flight, always. */
    CLOSED,
    /** Room: as fast as back-pressure allows. */
    SATURATED,
    /** Nothing: connections stand idle. */
    IDLE
  }
}
