package io.rtransport.loadgen.transceiver;

/**
 * Work of one side of a transport, cumulative; −1 where the transport cannot tell.
 *
 * @param socketCalls sends and receives, each a system call
 * @param datagramsSent UDP datagrams (GSO segments count singly)
 * @param datagramsReceived likewise
 * @param pipelineEvents events that passed between handlers below the topmost of the transport
 */
public record TransferCounts(
    long socketCalls, long datagramsSent, long datagramsReceived, long pipelineEvents) {
  /** Stands for a number that does not apply. */
  public static final long UNKNOWN = -1;
}
