package io.rtransport.loadgen.transceiver;

import io.rtransport.command.SocketKind;
import io.rtransport.core.parameter.ConnectionConfig.Congestion;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.workload.SizeMix;
import io.rtransport.netty.control.AdpSettings;

/**
 * Settings of a run for a transport, equal on both sides.
 *
 * @param op what one message is
 * @param sizes of messages
 * @param seed of their contents
 * @param connections most connections that share the server's socket
 * @param mtuBytes UDP payload of a datagram; 0 leaves it to the transport
 * @param gso whether segmentation offload is used by a transport that has the choice
 * @param windowPackets datagrams in flight of a connection
 * @param ordered messages are delivered in order (rt)
 * @param completion when a message counts as complete (rt)
 * @param io kind of sockets
 * @param busyPoll event loops never sleep
 * @param pollNs time without work after which event loops sleep; 0 = at once
 * @param adp profile and parameters (rt)
 * @param congestion control (rt), or null for the default
 * @param flushWindowMicros how long a message may wait for others to share its packet (rt)
 * @param sharedPort one socket for all connections of a client's event loop (rt)
 * @param rails paths to the server in one connection (rt)
 * @param receiverImpairment faults of the receiving handler (rt), or null
 * @param queue settings of its queues (rt), or null where it is used through channels
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
    int rails,
    Impairment receiverImpairment,
    QueueSettings queue) {

  /** Default of the datagrams in flight; for rt's data as many as the path needs. */
  public static final int WINDOW_PACKETS_DEFAULT = 1_024;

  /** Kind of one message. */
  public enum Op {
    /** A push, and a push of the same size back. */
    ECHO,
    /** A push that ends when the peer's application took it. */
    PUSH,
    /** A 16-byte request and an answer of the message's size. */
    PULL,
    /** Nothing is sent. */
    IDLE
  }

  /** Segmentation offload. */
  public enum Gso {
    /** Where the system supports it. */
    AUTO,
    /** Always: an error where the system does not support it. */
    ON,
    /** Never. */
    OFF
  }

  /** Event that completes a push. */
  public enum Completion {
    /** The peer's application took it. */
    COMPLETED,
    /** The peer's transport has it. */
    RECEIVED,
    /** It was packetised. */
    SENT
  }
}
