package io.rtransport.loadgen.workload;

/**
 * Plan of sending. Immutable.
 *
 * @param pace what makes the next message due
 * @param ratePerSecond of one event loop's connections together; {@link Pace#OPEN} only
 * @param inFlight messages in flight of a connection; {@link Pace#CLOSED} only
 * @param sizes of messages
 */
public record Plan(Pace pace, double ratePerSecond, int inFlight, SizeMix sizes) {
  /** Cause that makes the next message due. */
  public enum Pace {
    /** The clock. The delay of a late message, for any reason, counts in its latency. */
    OPEN,
    /** A completion: always a fixed number in flight. */
    CLOSED,
    /** Room: as fast as back-pressure allows. */
    SATURATED,
    /** Nothing: connections stand idle. */
    IDLE
  }
}
