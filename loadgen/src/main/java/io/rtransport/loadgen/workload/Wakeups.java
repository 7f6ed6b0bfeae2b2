package io.rtransport.loadgen.workload;

/** How a {@link LoopDriver} asks its event loop to be called again. */
public interface Wakeups {
  /** Run once at {@code timeNs} of the driver's clock, or as soon after as the loop can. */
  void at(long timeNs, Runnable task);

  /** Run once after the I/O that is ready now. */
  void soon(Runnable task);
}
