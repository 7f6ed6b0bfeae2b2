package io.rtransport.netty.handler;

/** What handlers among the sublayers may ask of their channel. On its event loop only. */
public interface SublayerPipeline {
  void addTap(RtTap tap);

  void removeTap(RtTap tap);

  /**
   * Runs {@code action}, which may send bursts up or down, as a turn of the event loop's driver:
   * what it leaves due is done at its end.
   */
  void runTurn(Runnable action);
}
