package io.rtransport.simulator;

import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.InitialNumbers;

/** A world's parameters as the configuration of a connection. */
public final class SimConfigs {
  private SimConfigs() {}

  /** Returns the configuration of host {@code host} of the world. */
  public static ConnectionConfig of(WorldPlan plan, int host) {
    boolean isMoving = plan.moveIntervalNs != Long.MAX_VALUE && host == 0;
    ConnectionConfig.Builder builder = builder(plan, host);
    // A host that has moved is found only if it sends something, so it must not be silent for a
    // total.
    return isMoving
        ? builder.keepalive(true).idleTimeoutNs(1_000_000_000).build()
        : builder.build();
  }

  private static ConnectionConfig.Builder builder(WorldPlan plan, int host) {
    return ConnectionConfig.builder()
        .ordered(plan.isOrderWished[host])
        .requestWindowPackets(plan.requestWindows[host])
        .dataWindowPackets(plan.dataWindows[host])
        .datagramLengthBytes(plan.datagramSize)
        .datagramLengthBytesMax(plan.datagramSizeMax)
        .pathMtuDiscovered(plan.isMtuDiscovered)
        .initialCreditBytes(plan.initialCreditBytes)
        .outstandingMax(plan.outstandingMax)
        .solicitThresholdBytes(plan.solicitThreshold)
        .headerLengthMax(plan.headerLengthMax)
        .messageLengthMax(Workload.LENGTH_MAX + 8_192)
        .ackDelayNsMax(plan.ackDelayMicros * 1_000L)
        .flushWindowNs(plan.flushWindowsNs[host])
        .idleTimeoutNs(plan.idleTimeoutNs)
        .keepalive(plan.isKeepalive)
        .connectTimeoutNs(60_000_000_000L)
        .closeTimeoutNs(120_000_000_000L)
        .adpProfile(SimProfiles.named(plan.profile))
        .congestion(plan.congestion)
        .initialNumbers(
            new InitialNumbers(
                plan.firstRequestPsns[host],
                plan.firstDataPsns[host],
                plan.firstRsns[host],
                plan.firstSsns[host],
                plan.firstSequences[host]));
  }
}
