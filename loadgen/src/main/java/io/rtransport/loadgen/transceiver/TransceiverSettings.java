package io.rtransport.loadgen.transceiver;

import io.rtransport.command.SocketKind;
import io.rtransport.core.connection.ConnectionConfig.Congestion;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.workload.SizeMix;
import io.rtransport.netty.control.AdpSettings;

/**
 * What a transport is told about the run; the same on both sides.
 *
 * @param op what one message is
 * @param sizes of messages
 * @param seed of their contents
 * @param connections that share the server's socket, at most
 * @param mtuBytes UDP payload of a datagram; 0 leaves it to the transport
 * @param gso whether segmentation offload is used by a transport that has the choice
 * @param windowPackets datagrams in flight a connection
 * @param ordered messages are delivered in order (rt)
 * @param completion when a message counts as complete (rt)
 * @param io which sockets
 * @param busyPoll event loops never sleep
 * @param pollNs without work after which event loops sleep; 0 = at once
 * @param adp profile and parameters (rt)
 * @param congestion control (rt), or null for the default
 * @param flushWindowMicros how long a message may wait for others to share its packet (rt)
 * @param sharedPort one socket for all connections of a client's event loop (rt)
 * @param receiverImpairment what the receiving handler does to datagrams (rt), or null
 */
public record TransceiverSettings(
    Op op,
    SizeMix sizes,
    long seed,
    int connections,
    int mtuBytes,
    Gso gso,
    int windowPackets,
    boolean ordered,
    Completion completion,
    SocketKind io,
    boolean busyPoll,
    long pollNs,
    AdpSettings adp,
    Congestion congestion,
    int flushWindowMicros,
    boolean sharedPort,
    Impairment receiverImpairment) {

  /** Datagrams in flight where nothing is said; of rt's data as many as the path needs. */
  public static final int WINDOW_PACKETS_DEFAULT = 1_024;

  /** What one message is. */
  public enum Op {
    /** A push, and a push of the same size back. */
    ECHO,
    /** A push, that ends when the peer's application took it. */
    PUSH,
    /** A 16-byte request and an answer of the size. */
    PULL,
    /** Nothing is sent. */
    IDLE
  }

  /** Segmentation offload. */
  public enum Gso {
    /** Where the system has it. */
    AUTO,
    /** Always: an error where the system lacks it. */
    ON,
    /** Never. */
    OFF
  }

  /** What completes a push. */
  public enum Completion {
    /** The peer's application took it. */
    COMPLETED,
    /** The peer's transport has it. */
    RECEIVED,
    /** It was packetised. */
    SENT
  }
}
