package io.rtransport.netty;

import io.netty.channel.ChannelOption;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.parameter.ConnectionConfig;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Options of RT's channels beside Netty's own.
 *
 * <p>Options of the <b>handshake</b> are offered to the peer when a connection is set up. Set them
 * with {@code option(…)} on the {@code Bootstrap}, and on the {@code ServerBootstrap} with {@code
 * option(…)} too, not {@code childOption(…)}. A child channel is made after the handshake and
 * refuses them. The range and default of a number are those of the {@link
 * io.rtransport.core.parameter.ConnectionParameter} of the same name; docs/reference/options.md has
 * them as a table.
 *
 * <p>Options of the <b>channel</b> may be set at any time, and on children with {@code
 * childOption(…)}.
 *
 * @param <T> type of the value
 */
public final class RtChannelOption<T> extends ChannelOption<T> {
  /** Handshake: receive window for requests, packets. */
  public static final ChannelOption<Integer> REQUEST_WINDOW = handshake("REQUEST_WINDOW");

  /**
   * Handshake: receive window for data, packets. While the option is not set, the window follows
   * the path, up to 16,384.
   */
  public static final ChannelOption<Integer> DATA_WINDOW = handshake("DATA_WINDOW");

  /**
   * Handshake: whether messages are read, and promises done, in the order of the writes; default
   * true. There is no order only if both sides say false. Then no message and no promise waits for
   * another. Long polls belong on such a channel; byte streams do not.
   */
  public static final ChannelOption<Boolean> ORDERED = handshake("ORDERED");

  /** Handshake: UDP payload of a packet, bytes. The smaller value of the two sides holds. */
  public static final ChannelOption<Integer> DATAGRAM_LENGTH = handshake("DATAGRAM_LENGTH");

  /**
   * Handshake: the longest UDP payload that this side takes, DATAGRAM_LENGTH..65,507 bytes. With
   * {@link #PATH_MTU_DISCOVERY} it is also the longest that this side sends. The default, 0, stands
   * for the size of the socket's receive buffers: 65,507 over epoll with OFFLOAD, else 2,048.
   */
  public static final ChannelOption<Integer> DATAGRAM_LENGTH_MAX = handshake("DATAGRAM_LENGTH_MAX");

  /**
   * Handshake: whether this side searches for the longest datagram that its path to the peer
   * carries; default false. It falls back if that is less than DATAGRAM_LENGTH. Its datagrams then
   * leave in one piece or not at all. If the system cannot promise that (NIO before JDK 19), none
   * above DATAGRAM_LENGTH is sent.
   */
  public static final ChannelOption<Boolean> PATH_MTU_DISCOVERY = handshake("PATH_MTU_DISCOVERY");

  /**
   * Handshake: adaptive retransmission profile. If it is not set, the register of the node says
   * which profile a connection takes, and whether it adapts at all ({@link
   * io.rtransport.netty.node.RtNode#register}).
   */
  public static final ChannelOption<AdpProfile> PROFILE = handshake("PROFILE");

  /** Handshake: the queue pair's values that the profile refers to. */
  public static final ChannelOption<AdpParameters> PROFILE_PARAMETERS =
      handshake("PROFILE_PARAMETERS");

  /**
   * Channel: whether a silent connection is kept alive; default false. On a server, {@code
   * option(…)} sets it for all children.
   */
  public static final ChannelOption<Boolean> KEEPALIVE =
      valueOf(RtChannelOption.class, "KEEPALIVE");

  /**
   * Handshake: a push above this many bytes asks before it sends. The smaller value of the two
   * sides holds.
   */
  public static final ChannelOption<Integer> SOLICIT_THRESHOLD = handshake("SOLICIT_THRESHOLD");

  /**
   * Handshake: while the path is congested, a push above this many bytes asks before it sends; 256
   * bytes to 1 MiB. With the default, 1 MiB, only {@link #SOLICIT_THRESHOLD} decides. The option
   * holds for this side's pushes only ({@link ConnectionConfig#congestedThresholdBytes}).
   */
  public static final ChannelOption<Integer> CONGESTED_SOLICIT_THRESHOLD =
      handshake("CONGESTED_SOLICIT_THRESHOLD");

  /** Handshake: bytes that the peer may push before it has heard from this side's application. */
  public static final ChannelOption<Integer> INITIAL_CREDIT = handshake("INITIAL_CREDIT");

  /**
   * Handshake: transactions of one direction that may be outstanding at a time. The smaller value
   * of the two sides holds.
   */
  public static final ChannelOption<Integer> OUTSTANDING_MAX = handshake("OUTSTANDING_MAX");

  /**
   * Handshake: longest application header of a request, bytes. The smaller value of the two sides
   * holds.
   */
  public static final ChannelOption<Integer> HEADER_LENGTH_MAX = handshake("HEADER_LENGTH_MAX");

  /** Handshake: largest message that this side takes, bytes. */
  public static final ChannelOption<Long> MESSAGE_LENGTH_MAX = handshake("MESSAGE_LENGTH_MAX");

  /**
   * Handshake: how long an acknowledgement may be held back, microseconds. The peer is told this
   * value plus the tick of the event loop's timer: 1 ms with NIO, 0.2 ms with others.
   */
  public static final ChannelOption<Integer> ACK_DELAY_MICROS = handshake("ACK_DELAY_MICROS");

  /**
   * Channel: how long a flushed message may wait for others to share its packet, microseconds. With
   * the default, 0, it leaves at once. Waiting bytes count against the write buffer's water mark,
   * and {@link WriteCompletes#SENT} waits with them. The peer is not told of the option. On a
   * server, {@code option(…)} sets it for all children.
   */
  public static final ChannelOption<Integer> FLUSH_WINDOW_MICROS =
      valueOf(RtChannelOption.class, "FLUSH_WINDOW_MICROS");

  /** Handshake: length of the silence that ends the connection, milliseconds. */
  public static final ChannelOption<Long> IDLE_TIMEOUT_MILLIS = handshake("IDLE_TIMEOUT_MILLIS");

  /** Handshake: how long a close waits for outstanding transactions, milliseconds. */
  public static final ChannelOption<Long> CLOSE_TIMEOUT_MILLIS = handshake("CLOSE_TIMEOUT_MILLIS");

  /** Handshake: congestion control; default {@link ConnectionConfig#CONGESTION_DEFAULT}. */
  public static final ChannelOption<ConnectionConfig.Congestion> CONGESTION =
      handshake("CONGESTION");

  /**
   * Handshake: bytes that may be in flight in one direction, 2..64 MiB; default 16 MiB. The
   * connection uses as much as bandwidth × delay needs. The peer is not told.
   */
  public static final ChannelOption<Integer> IN_FLIGHT_MAX = handshake("IN_FLIGHT_MAX");

  /**
   * Client channels only: further ways to the peer beside the address that {@code connect} names, 0
   * to 7; default none. The connection uses all of them as one. It is set up over any that answers.
   * If one stops working, its packets are resent on the others at once, and nothing is lost or
   * repeated. Each rail has a socket of its own. Set it before connect. A channel with a shared
   * port ({@link RtChannels#clientsOfOnePort}) refuses to connect with rails.
   */
  public static final ChannelOption<List<RtRail>> RAILS = valueOf(RtChannelOption.class, "RAILS");

  /**
   * Server channels only: further addresses to listen at beside the one of {@code bind}, 0 to 7;
   * default none. All are concrete addresses of one family. Initiators are told all of them, so a
   * client that knows one uses the others too, each as a rail. Set it before bind. The bind fails
   * if one of the addresses is not available, and then none is left open.
   */
  public static final ChannelOption<List<InetSocketAddress>> LISTEN =
      valueOf(RtChannelOption.class, "LISTEN");

  /**
   * Port: whether GSO and GRO are used if the socket has them; default true. Set it before bind or
   * connect.
   */
  public static final ChannelOption<Boolean> OFFLOAD = valueOf(RtChannelOption.class, "OFFLOAD");

  /**
   * Port, server channels only: on how many event loops of its group the server channel receives,
   * 1..256; default 1. The group is the bootstrap's parent group. With several loops the channel
   * has a socket on each, bound to the same address (SO_REUSEPORT). The system spreads the
   * connecting peers over them. An accepted channel lives on the loop that its connection came in
   * on. The cost is one socket for each loop. Set it before bind. The bind fails if sockets cannot
   * share a port, or if the group has fewer loops.
   */
  public static final ChannelOption<Integer> RECEIVE_LOOPS =
      valueOf(RtChannelOption.class, "RECEIVE_LOOPS");

  /**
   * Channel: length of the largest inbound message that is collected in a buffer, bytes, 0..2^31-1;
   * default 16 MiB.
   */
  public static final ChannelOption<Integer> MAX_BUFFERED_MESSAGE =
      valueOf(RtChannelOption.class, "MAX_BUFFERED_MESSAGE");

  /** Channel: chooses where each inbound push goes; default null, all go to buffers. */
  public static final ChannelOption<PayloadSinks> PAYLOAD_SINKS =
      valueOf(RtChannelOption.class, "PAYLOAD_SINKS");

  /**
   * Channel: the executor that reads and writes files of {@link RtPayload#ofFile}, {@link
   * RtFilePayload}, {@code FileRegion} and {@link RtFileSink}. Each transfer has at most one task
   * there at a time, and the task may block. The default is four daemon threads of the process,
   * made when the first file is moved. They grow up to 64 while calls of more than 100 ms keep
   * others waiting. A value holds for transfers that begin after it was set. An executor that
   * refuses a task fails that transfer; an executor that has accepted a task must run it.
   */
  public static final ChannelOption<Executor> FILE_EXECUTOR =
      valueOf(RtChannelOption.class, "FILE_EXECUTOR");

  /**
   * Channel: when an inbound push counts as taken by the application; default {@link
   * Acknowledge#ON_READ}.
   */
  public static final ChannelOption<Acknowledge> ACKNOWLEDGE =
      valueOf(RtChannelOption.class, "ACKNOWLEDGE");

  /**
   * Channel: when the promise of a written push is done; default {@link WriteCompletes#COMPLETED}.
   */
  public static final ChannelOption<WriteCompletes> WRITE_COMPLETES =
      valueOf(RtChannelOption.class, "WRITE_COMPLETES");

  /**
   * When the promise of a written push is done. It does not change the promises of pulls, nor
   * writes with the void promise. If a push fails after its promise was done, {@code
   * exceptionCaught} gets its {@link RtException}. A failed bare buffer closes the channel, as with
   * every value. When the connection ends, one exception stands for all such writes.
   */
  public enum WriteCompletes {
    /** When the peer's application has taken the push. */
    COMPLETED,
    /**
     * When the peer's transport has the whole push, and everything that left before it. The peer's
     * application may still refuse it.
     */
    RECEIVED,
    /**
     * When the last byte of the push is in a packet. A TCP write is done in the same way when the
     * kernel has its last byte.
     */
    SENT
  }

  /**
   * When an inbound push counts as taken by the application. The sender of the push waits for that.
   */
  public enum Acknowledge {
    /**
     * When {@code channelRead} has returned, and no exception reached the end of the pipeline. With
     * a handler on another executor this means that the push is queued, not taken.
     */
    ON_READ,
    /**
     * When the last reference to the message is released: to the buffer, or to the {@link RtPush}
     * and its content. Until then the message holds its credit, or its share of the node's
     * solicitation budget. If an exception reaches the end of the pipeline the message fails, as
     * with {@link #ON_READ}.
     */
    ON_RELEASE,
    /**
     * When the application calls {@link RtPush#acknowledge()} or {@link RtPush#fail}. Every push
     * then comes as an {@link RtPush}.
     */
    EXPLICIT
  }

  private static <T> ChannelOption<T> handshake(String name) {
    return valueOf(RtChannelOption.class, name);
  }

  @SuppressWarnings("deprecation")
  private RtChannelOption() {
    super(null);
  }
}
