package io.rtransport.loadgen.transceiver;

/**
 * Work of one side of a transport, cumulative; −1 where the transport cannot tell it.
 *
 * @param socketCalls sends and receives, each a system call
 * @param datagramsSent UDP datagrams (GSO segments count singly)
 * @param datagramsReceived UDP datagrams, counted likewise
 * @param pipelineEvents events that passed between handlers below the topmost of the transport
 */
public record TransferCounts(
    long socketCalls, long datagramsSent, long datagramsReceived, long pipelineEvents) {
  /** Value for a number that does not apply. */
  public static final long UNKNOWN = -1;
}
