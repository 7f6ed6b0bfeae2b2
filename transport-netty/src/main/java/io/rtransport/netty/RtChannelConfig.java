package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.port.PortConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Configuration of an {@link RtChannel} or {@link RtServerChannel}: Netty's options that have a meaning here, and {@link RtChannelOption}'s.
 * Handshake options are collected, and checked as a whole when they are used: by {@code connect}, or by {@code bind}.
 */
public final class RtChannelConfig extends DefaultChannelConfig {
  private static final int MAX_BUFFERED_MESSAGE = 16 << 20;

  /**
   * The high one is above Netty's 64 KiB, for what waits for a grant counts for a round trip, where TCP's bytes lie in the system's send
   * buffer. The low one is Netty's, so that whoever sets the high one alone can set what he could over TCP.
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 << 10, 512 << 10);

  private static final Map<ChannelOption<?>, Handshake<?>> HANDSHAKE = handshakeOptions();

  private final boolean isAccepted;
  private ConnectionConfig handshake; // null while the builder has it
  private ConnectionConfig.Builder builder;
  private int receiveBufferBytes = 4 << 20;
  private int sendBufferBytes;
  private boolean reuseAddress;
  private int receiveLoops = 1;
  private volatile int linger = -1;
  private volatile boolean allowHalfClosure;
  private volatile boolean offload = true;
  private volatile int maxBufferedMessage = MAX_BUFFERED_MESSAGE;
  private volatile PayloadSinks payloadSinks;
  private volatile Executor fileExecutor;
  private volatile Acknowledge acknowledge = Acknowledge.ON_READ;
  private volatile WriteCompletes writeCompletes = WriteCompletes.COMPLETED;

  /** One handshake option: where its value is kept. */
  private record Handshake<T>(
      BiConsumer<ConnectionConfig.Builder, T> set, Function<ConnectionConfig, T> read) {}

  /**
   * @param accepted what was offered for an accepted connection, which no option changes any more; else null, and all begins at its default
   */
  RtChannelConfig(Channel channel, ConnectionConfig accepted) {
    super(channel);
    setWriteBufferWaterMark(WATER_MARK);
    this.handshake = accepted;
    this.builder = accepted == null ? ConnectionConfig.builder() : null;
    this.isAccepted = accepted != null;
  }

  private static Map<ChannelOption<?>, Handshake<?>> handshakeOptions() {
    Map<ChannelOption<?>, Handshake<?>> options = new LinkedHashMap<>();
    put(
        options,
        RtChannelOption.REQUEST_WINDOW,
        ConnectionConfig.Builder::requestWindowPackets,
        ConnectionConfig::requestWindowPackets);
    put(
        options,
        RtChannelOption.DATA_WINDOW,
        ConnectionConfig.Builder::dataWindowPackets,
        ConnectionConfig::dataWindowPackets);
    put(
        options,
        RtChannelOption.ORDERED,
        ConnectionConfig.Builder::ordered,
        ConnectionConfig::isOrdered);
    put(
        options,
        RtChannelOption.DATAGRAM_LENGTH,
        ConnectionConfig.Builder::datagramLengthBytes,
        ConnectionConfig::datagramLengthBytes);
    put(
        options,
        RtChannelOption.DATAGRAM_LENGTH_MAX,
        ConnectionConfig.Builder::datagramLengthBytesMax,
        ConnectionConfig::datagramLengthBytesMax);
    put(
        options,
        RtChannelOption.PATH_MTU_DISCOVERY,
        ConnectionConfig.Builder::pathMtuDiscovered,
        ConnectionConfig::isPathMtuDiscovered);
    put(
        options,
        RtChannelOption.PROFILE,
        ConnectionConfig.Builder::adpProfile,
        ConnectionConfig::adpProfile);
    put(
        options,
        RtChannelOption.PROFILE_PARAMETERS,
        ConnectionConfig.Builder::adpParameters,
        ConnectionConfig::adpParameters);
    put(
        options,
        RtChannelOption.KEEPALIVE,
        ConnectionConfig.Builder::keepalive,
        ConnectionConfig::isKeepalive);
    put(
        options,
        RtChannelOption.SOLICIT_THRESHOLD,
        ConnectionConfig.Builder::solicitThresholdBytes,
        ConnectionConfig::solicitThresholdBytes);
    put(
        options,
        RtChannelOption.INITIAL_CREDIT,
        ConnectionConfig.Builder::initialCreditBytes,
        ConnectionConfig::initialCreditBytes);
    put(
        options,
        RtChannelOption.OUTSTANDING_MAX,
        ConnectionConfig.Builder::outstandingMax,
        ConnectionConfig::outstandingMax);
    put(
        options,
        RtChannelOption.HEADER_LENGTH_MAX,
        ConnectionConfig.Builder::headerLengthMax,
        ConnectionConfig::headerLengthMax);
    put(
        options,
        RtChannelOption.MESSAGE_LENGTH_MAX,
        ConnectionConfig.Builder::messageLengthMax,
        ConnectionConfig::messageLengthMax);
    put(
        options,
        RtChannelOption.ACK_DELAY_MICROS,
        (builder, micros) -> builder.ackDelayNsMax(TimeUnit.MICROSECONDS.toNanos(micros)),
        config -> (int) TimeUnit.NANOSECONDS.toMicros(config.ackDelayNsMax()));
    put(
        options,
        RtChannelOption.FLUSH_WINDOW_MICROS,
        (builder, micros) -> builder.flushWindowNs(TimeUnit.MICROSECONDS.toNanos(micros)),
        config -> (int) TimeUnit.NANOSECONDS.toMicros(config.flushWindowNs()));
    put(
        options,
        RtChannelOption.IDLE_TIMEOUT_MILLIS,
        (builder, millis) -> builder.idleTimeoutNs(TimeUnit.MILLISECONDS.toNanos(millis)),
        config -> TimeUnit.NANOSECONDS.toMillis(config.idleTimeoutNs()));
    put(
        options,
        RtChannelOption.CLOSE_TIMEOUT_MILLIS,
        (builder, millis) -> builder.closeTimeoutNs(TimeUnit.MILLISECONDS.toNanos(millis)),
        config -> TimeUnit.NANOSECONDS.toMillis(config.closeTimeoutNs()));
    put(
        options,
        RtChannelOption.CONGESTION,
        ConnectionConfig.Builder::congestion,
        ConnectionConfig::congestion);
    put(
        options,
        RtChannelOption.IN_FLIGHT_MAX,
        ConnectionConfig.Builder::inFlightBytesMax,
        ConnectionConfig::inFlightBytesMax);
    return options;
  }

  private static <T> void put(
      Map<ChannelOption<?>, Handshake<?>> options,
      ChannelOption<T> option,
      BiConsumer<ConnectionConfig.Builder, T> set,
      Function<ConnectionConfig, T> read) {
    options.put(option, new Handshake<>(set, read));
  }

  /**
   * What is offered at the handshake.
   *
   * @throws IllegalArgumentException naming the field, its value and its range
   */
  public synchronized ConnectionConfig connectionConfig() {
    long connectTimeoutNs = TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis());
    boolean isBuilt = builder == null && handshake.connectTimeoutNs() == connectTimeoutNs;
    if (!isAccepted && !isBuilt) {
      handshake = builder().connectTimeoutNs(connectTimeoutNs).build();
      builder = null; // of thousands of channels few are configured again
    }
    return handshake;
  }

  private ConnectionConfig.Builder builder() {
    if (builder == null) {
      builder = handshake.toBuilder();
    }
    return builder;
  }

  /** Replaces all handshake options at once. */
  public synchronized RtChannelConfig connectionConfig(ConnectionConfig config) {
    refuseIfAccepted("connectionConfig");
    builder = config.toBuilder();
    return this;
  }

  @Override
  protected void autoReadCleared() {
    if (channel instanceof RtServerChannel server) {
      server.clearRead();
    }
  }

  /** How long a server channel's handlers may take to register a child. */
  long registrationLimitNs() {
    return TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis());
  }

  private int connectTimeoutMillis() {
    int millis = getConnectTimeoutMillis();
    return millis == 0 ? (int) TimeUnit.MINUTES.toMillis(5) : millis;
  }

  synchronized PortConfig portConfig() {
    ConnectionConfig wishes = connectionConfig();
    return new PortConfig(
        wishes.isDatagramLengthMaxSet()
            ? wishes.datagramLengthBytesMax()
            : wishes.datagramLengthBytes(),
        wishes.isPathMtuDiscovered(),
        receiveBufferBytes,
        sendBufferBytes,
        reuseAddress,
        offload,
        false);
  }

  /** On how many event loops a server channel receives. */
  public synchronized int receiveLoops() {
    return receiveLoops;
  }

  /** The largest inbound message that is collected in a buffer. */
  public int maxBufferedMessage() {
    return maxBufferedMessage;
  }

  /** Chooses where inbound pushes go, or null. */
  public PayloadSinks payloadSinks() {
    return payloadSinks;
  }

  /** What reads and writes files; see {@link RtChannelOption#FILE_EXECUTOR}. */
  public Executor fileExecutor() {
    Executor given = fileExecutor;
    return given == null ? FileThreads.shared() : given;
  }

  public Acknowledge acknowledge() {
    return acknowledge;
  }

  public WriteCompletes writeCompletes() {
    return writeCompletes;
  }

  /** SO_LINGER: 0 makes close a reset, seconds above 0 make it wait for the drain; by default (-1) it drains in the background. */
  public int linger() {
    return linger;
  }

  /** ALLOW_HALF_CLOSURE: whether the channel stays open when the peer has shut down its output; default no, as for Netty's sockets. */
  public boolean isAllowHalfClosure() {
    return allowHalfClosure;
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    Map<ChannelOption<?>, Object> options =
        getOptions(
            super.getOptions(),
            ChannelOption.SO_RCVBUF,
            ChannelOption.SO_SNDBUF,
            ChannelOption.SO_REUSEADDR,
            ChannelOption.SO_LINGER,
            ChannelOption.ALLOW_HALF_CLOSURE,
            RtChannelOption.OFFLOAD,
            RtChannelOption.RECEIVE_LOOPS,
            RtChannelOption.MAX_BUFFERED_MESSAGE,
            RtChannelOption.PAYLOAD_SINKS,
            RtChannelOption.FILE_EXECUTOR,
            RtChannelOption.ACKNOWLEDGE,
            RtChannelOption.WRITE_COMPLETES);
    return getOptions(options, HANDSHAKE.keySet().toArray(ChannelOption<?>[]::new));
  }

  @Override
  @SuppressWarnings("unchecked")
  public synchronized <T> T getOption(ChannelOption<T> option) {
    Handshake<?> field = HANDSHAKE.get(option);
    if (field != null) {
      return (T) field.read().apply(builder == null ? handshake : builder.build());
    }
    if (option == ChannelOption.SO_RCVBUF) {
      return (T) Integer.valueOf(receiveBufferBytes);
    }
    if (option == ChannelOption.SO_SNDBUF) {
      return (T) Integer.valueOf(sendBufferBytes);
    }
    if (option == ChannelOption.SO_REUSEADDR) {
      return (T) Boolean.valueOf(reuseAddress);
    }
    if (option == ChannelOption.SO_LINGER) {
      return (T) Integer.valueOf(linger);
    }
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      return (T) Boolean.valueOf(allowHalfClosure);
    }
    if (option == RtChannelOption.OFFLOAD) {
      return (T) Boolean.valueOf(offload);
    }
    if (option == RtChannelOption.RECEIVE_LOOPS) {
      return (T) Integer.valueOf(receiveLoops);
    }
    if (option == RtChannelOption.MAX_BUFFERED_MESSAGE) {
      return (T) Integer.valueOf(maxBufferedMessage);
    }
    if (option == RtChannelOption.FILE_EXECUTOR) {
      return (T) fileExecutor();
    }
    if (option == RtChannelOption.PAYLOAD_SINKS) {
      return (T) payloadSinks;
    }
    if (option == RtChannelOption.ACKNOWLEDGE) {
      return (T) acknowledge;
    }
    if (option == RtChannelOption.WRITE_COMPLETES) {
      return (T) writeCompletes;
    }
    return super.getOption(option);
  }

  @Override
  @SuppressWarnings("unchecked")
  public synchronized <T> boolean setOption(ChannelOption<T> option, T value) {
    Handshake<T> field = (Handshake<T>) HANDSHAKE.get(option);
    if (field != null) {
      refuseIfAccepted(option.name());
      field.set().accept(builder(), ObjectUtil.checkNotNull(value, option.name()));
    } else if (option == ChannelOption.SO_RCVBUF) {
      receiveBufferBytes = ObjectUtil.checkPositive((Integer) value, "SO_RCVBUF");
    } else if (option == ChannelOption.SO_SNDBUF) {
      sendBufferBytes = ObjectUtil.checkPositive((Integer) value, "SO_SNDBUF");
    } else if (option == ChannelOption.SO_REUSEADDR) {
      reuseAddress = (Boolean) value;
    } else if (option == ChannelOption.SO_LINGER) {
      linger = (Integer) value;
    } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      allowHalfClosure = (Boolean) value;
    } else if (option == RtChannelOption.OFFLOAD) {
      offload = (Boolean) value;
    } else if (option == RtChannelOption.RECEIVE_LOOPS && channel instanceof RtServerChannel) {
      receiveLoops = ObjectUtil.checkPositive((Integer) value, "RECEIVE_LOOPS");
    } else if (option == RtChannelOption.MAX_BUFFERED_MESSAGE) {
      maxBufferedMessage = ObjectUtil.checkPositiveOrZero((Integer) value, "MAX_BUFFERED_MESSAGE");
    } else if (option == RtChannelOption.FILE_EXECUTOR) {
      fileExecutor = (Executor) value;
    } else if (option == RtChannelOption.PAYLOAD_SINKS) {
      payloadSinks = (PayloadSinks) value;
    } else if (option == RtChannelOption.WRITE_COMPLETES) {
      writeCompletes = ObjectUtil.checkNotNull((WriteCompletes) value, "WRITE_COMPLETES");
    } else if (option == RtChannelOption.ACKNOWLEDGE) {
      acknowledge = ObjectUtil.checkNotNull((Acknowledge) value, "ACKNOWLEDGE");
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  private void refuseIfAccepted(String name) {
    if (isAccepted) {
      throw new IllegalStateException(
          name
              + " belongs to the handshake, which an accepted connection has behind it: use ServerBootstrap.option(…)");
    }
  }
}
