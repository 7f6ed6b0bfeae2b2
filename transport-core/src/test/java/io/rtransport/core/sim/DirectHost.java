package io.rtransport.core.sim;

import io.rtransport.core.wire.PacketBurst;

/** A host whose sublayers are joined by plain calls. */
final class DirectHost implements SimHost {
  DirectHost(int host, PairHarness harness) {}

  @Override
  public void start(long nowNs) {}

  @Override
  public void receive(PacketBurst burst, long nowNs) {}

  @Override
  public long nextDeadlineNs() {
    return Long.MAX_VALUE;
  }

  @Override
  public void onTime(long nowNs) {}

  @Override
  public SimPort port() {
    return null;
  }

  @Override
  public void check(boolean isAfterClose) {}

  @Override
  public void count(SimTotals totals) {}
}
