package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.workload.MessageVerifier;

/**
 * What one connection or socket does, counted on its event loop, without synchronisation; read by a
 * task on that loop.
 */
final class WorkCounter {
  long socketCalls;
  long datagramsSent;
  long datagramsReceived;

  /** The account of what was received on it. */
  final MessageVerifier verifier = new MessageVerifier();
}
