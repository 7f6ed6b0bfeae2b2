package io.rtransport.loadgen.workload;

/** Calls by which a {@link LaneDriver} asks its event loop to call it again. */
public interface Wakeups {
  /** Runs a task once at {@code timeNs} of the driver's clock, or as soon after as the loop can. */
  void at(long timeNs, Runnable task);

  /** Runs a task once after the I/O that is ready now. */
  void soon(Runnable task);
}
