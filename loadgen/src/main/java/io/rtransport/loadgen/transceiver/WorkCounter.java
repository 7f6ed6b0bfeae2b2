package io.rtransport.loadgen.transceiver;

import io.rtransport.loadgen.workload.MessageVerifier;

/**
 * Counts of one connection or socket, written on its event loop without synchronisation. A task on
 * that loop reads them.
 */
final class WorkCounter {
  long socketCalls;
  long datagramsSent;
  long datagramsReceived;

  /** The counts of its received messages. */
  final MessageVerifier verifier = new MessageVerifier();
}
