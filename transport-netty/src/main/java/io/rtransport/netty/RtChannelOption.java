package io.rtransport.netty;

import io.netty.channel.ChannelOption;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpProfile;
import io.rtransport.core.connection.ConnectionConfig;
import java.util.concurrent.Executor;

/**
 * Options of RT's channels beside Netty's own.
 *
 * <p>Options of the <b>handshake</b> are what a side offers when a connection is set up: set them
 * with {@code option(…)} on the {@code Bootstrap}, and on the {@code ServerBootstrap} with {@code
 * option(…)} too, not {@code childOption(…)}: a child comes into being after the handshake, and
 * refuses them. Range and default of a number are those of the {@link
 * io.rtransport.core.parameter.ConnectionParameter} of the same name; docs/reference/options.md has
 * them as a table. Options of the <b>channel</b> are set at any time, and on children with {@code
 * childOption(…)}.
 *
 * @param <T> type of the value
 */
public final class RtChannelOption<T> extends ChannelOption<T> {
  /** Handshake: receive window for requests, packets. */
  public static final ChannelOption<Integer> REQUEST_WINDOW = handshake("REQUEST_WINDOW");

  /**
   * Handshake: receive window for data, packets. Until it is set the window follows the path, up to
   * 16,384.
   */
  public static final ChannelOption<Integer> DATA_WINDOW = handshake("DATA_WINDOW");

  /**
   * Handshake: whether messages are read, and promises done, in the order of the writes; default
   * true. Only if both sides say false is there no order: then no message and no promise waits for
   * another, so long polls belong on such a channel, and byte streams do not.
   */
  public static final ChannelOption<Boolean> ORDERED = handshake("ORDERED");

  /** Handshake: UDP payload of a packet, bytes. The smaller of both sides' holds. */
  public static final ChannelOption<Integer> DATAGRAM_LENGTH = handshake("DATAGRAM_LENGTH");

  /**
   * Handshake: the longest UDP payload that this side takes and, with {@link #PATH_MTU_DISCOVERY},
   * sends, DATAGRAM_LENGTH..65,507 bytes. Default 0: as much as the socket's receive buffers hold
   * anyway, 65,507 over epoll with OFFLOAD, else 2,048.
   */
  public static final ChannelOption<Integer> DATAGRAM_LENGTH_MAX = handshake("DATAGRAM_LENGTH_MAX");

  /**
   * Handshake: whether this side looks for the longest datagram that its way to the peer carries,
   * and falls back when that is less than DATAGRAM_LENGTH; default false. Its datagrams then leave
   * in one piece or not at all. Where the system cannot promise that (NIO before JDK 19) none above
   * DATAGRAM_LENGTH is sent.
   */
  public static final ChannelOption<Boolean> PATH_MTU_DISCOVERY = handshake("PATH_MTU_DISCOVERY");

  /**
   * Handshake: adaptive retransmission profile. Where it is not set the register of the node says
   * which one a connection takes, and whether it adapts at all ({@link RtNode#register}).
   */
  public static final ChannelOption<AdpProfile> PROFILE = handshake("PROFILE");

  /** Handshake: what the profile refers to of its queue pair. */
  public static final ChannelOption<AdpParameters> PROFILE_PARAMETERS =
      handshake("PROFILE_PARAMETERS");

  /**
   * Channel: whether a silent connection is kept alive; default false. Also {@code option(…)} of a
   * server, for all its children.
   */
  public static final ChannelOption<Boolean> KEEPALIVE =
      valueOf(RtChannelOption.class, "KEEPALIVE");

  /**
   * Handshake: pushes above this many bytes ask before they send. The smaller of both sides' holds.
   */
  public static final ChannelOption<Integer> SOLICIT_THRESHOLD = handshake("SOLICIT_THRESHOLD");

  /**
   * Handshake: pushes above this many bytes ask while the path is congested, 256 bytes to 1 MiB;
   * the default, 1 MiB, leaves it to {@link #SOLICIT_THRESHOLD} alone. Of this side's pushes only
   * ({@link ConnectionConfig#congestedThresholdBytes}).
   */
  public static final ChannelOption<Integer> CONGESTED_SOLICIT_THRESHOLD =
      handshake("CONGESTED_SOLICIT_THRESHOLD");

  /** Handshake: bytes that the peer may push before it has heard from our application. */
  public static final ChannelOption<Integer> INITIAL_CREDIT = handshake("INITIAL_CREDIT");

  /** Handshake: transactions a direction that may be unended. The smaller of both sides' holds. */
  public static final ChannelOption<Integer> OUTSTANDING_MAX = handshake("OUTSTANDING_MAX");

  /** Handshake: application header of a request, bytes. The smaller of both sides' holds. */
  public static final ChannelOption<Integer> HEADER_LENGTH_MAX = handshake("HEADER_LENGTH_MAX");

  /** Handshake: largest message that we take, bytes. */
  public static final ChannelOption<Long> MESSAGE_LENGTH_MAX = handshake("MESSAGE_LENGTH_MAX");

  /**
   * Handshake: how long an acknowledgement may be held back, microseconds. The peer is told of so
   * much and of the tick of the event loop's timer: 1 ms with NIO, 0.2 ms with others.
   */
  public static final ChannelOption<Integer> ACK_DELAY_MICROS = handshake("ACK_DELAY_MICROS");

  /**
   * Channel: how long a flushed message may wait for others to share its packet, microseconds;
   * default 0, it leaves at once. What waits counts against the write buffer's water mark, and
   * {@link WriteCompletes#SENT} waits with it. The peer is not told of it. Also {@code option(…)}
   * of a server, for all its children.
   */
  public static final ChannelOption<Integer> FLUSH_WINDOW_MICROS =
      valueOf(RtChannelOption.class, "FLUSH_WINDOW_MICROS");

  /** Handshake: silence that ends the connection, milliseconds. */
  public static final ChannelOption<Long> IDLE_TIMEOUT_MILLIS = handshake("IDLE_TIMEOUT_MILLIS");

  /** Handshake: how long a close waits for what is outstanding, milliseconds. */
  public static final ChannelOption<Long> CLOSE_TIMEOUT_MILLIS = handshake("CLOSE_TIMEOUT_MILLIS");

  /** Handshake: congestion control; default {@link ConnectionConfig#CONGESTION_DEFAULT}. */
  public static final ChannelOption<ConnectionConfig.Congestion> CONGESTION =
      handshake("CONGESTION");

  /**
   * Handshake: bytes that may be on their way in one direction, 2..64 MiB; default 16 MiB. Used as
   * bandwidth × delay asks. The peer is not told.
   */
  public static final ChannelOption<Integer> IN_FLIGHT_MAX = handshake("IN_FLIGHT_MAX");

  /**
   * Port: whether GSO and GRO are used where the socket has them; default true. Set before bind or
   * connect.
   */
  public static final ChannelOption<Boolean> OFFLOAD = valueOf(RtChannelOption.class, "OFFLOAD");

  /**
   * Port, server channels only: on how many event loops of the server channel's group it receives,
   * 1..256; default 1. With several it has a socket on each, bound to the same address
   * (SO_REUSEPORT), the system spreads those who connect over them, and an accepted channel lives
   * on the loop that its connection came in on. The group is the bootstrap's parent group. Costs
   * one socket a loop. Set before bind, which fails where sockets cannot share a port, or the group
   * has fewer loops.
   */
  public static final ChannelOption<Integer> RECEIVE_LOOPS =
      valueOf(RtChannelOption.class, "RECEIVE_LOOPS");

  /**
   * Channel: the largest inbound message that is collected in a buffer, bytes, 0..2^31-1; default
   * 16 MiB.
   */
  public static final ChannelOption<Integer> MAX_BUFFERED_MESSAGE =
      valueOf(RtChannelOption.class, "MAX_BUFFERED_MESSAGE");

  /** Channel: chooses where inbound pushes go; default null, all to buffers. */
  public static final ChannelOption<PayloadSinks> PAYLOAD_SINKS =
      valueOf(RtChannelOption.class, "PAYLOAD_SINKS");

  /**
   * Channel: what reads and writes files of {@link RtPayload#ofFile}, {@link RtFilePayload}, {@code
   * FileRegion} and {@link RtFileSink}. Each transfer has one task there at a time, which may
   * block. Default: four daemon threads of the process, made when the first file is moved, and up
   * to 64 while calls of more than 100 ms keep others waiting. Holds for transfers that begin after
   * it was set. One that refuses a task fails that transfer; one that has accepted a task must run
   * it.
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
   * When the promise of a written push is done; those of pulls, and of writes with the void
   * promise, are not touched by it. A push that fails after its promise was done is not silent:
   * {@code exceptionCaught} gets its {@link RtException}, and a bare buffer's closes the channel as
   * ever. When the connection ends, one exception stands for all such writes.
   */
  public enum WriteCompletes {
    /** When the peer's application has taken it. */
    COMPLETED,
    /**
     * When the peer's transport has the whole of it, and of all that left before it. Whether its
     * application takes it is open.
     */
    RECEIVED,
    /**
     * When its last byte is in a packet, as a write to TCP is done when its last byte is the
     * kernel's.
     */
    SENT
  }

  /**
   * When an inbound push counts as taken by the application, which is what its sender waits for.
   */
  public enum Acknowledge {
    /**
     * When {@code channelRead} has returned, and no exception reached the end of the pipeline. With
     * a handler on another executor that means queued, not taken.
     */
    ON_READ,
    /**
     * When the last reference to what was read is released: to the buffer, or to the {@link RtPush}
     * and its content. Until then it holds its credit, or its share of the node's solicitation
     * budget. If an exception reaches the end of the pipeline it fails, as with {@link #ON_READ}.
     */
    ON_RELEASE,
    /**
     * When the application says so by {@link RtPush#acknowledge()} or {@link RtPush#fail}. Every
     * push then comes as an {@link RtPush}.
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
