package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.netty.port.PortConfig;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * What both kinds of RT's channels are set to: the options of the handshake, which are collected,
 * and checked as a whole when they are used, by {@code connect} or by {@code bind}; and those of
 * the socket.
 */
abstract class RtSocketConfig extends DefaultChannelConfig {
  private static final int TRAFFIC_CLASS_MAX = 255;

  /** The last one of the process, so that thousands of channels with equal ones keep one. */
  private static volatile ConnectionConfig lastBuilt;

  private final boolean isAccepted;
  private ConnectionConfig handshake; // null while the builder has it
  private ConnectionConfig.Builder builder;
  private int receiveBufferBytes = 4 << 20;
  private int sendBufferBytes;
  private int trafficClass;
  private boolean reuseAddress;
  private boolean offload = true;

  /**
   * @param accepted what was offered for an accepted connection, which no option changes any more;
   *     else null, and all begins at its default
   */
  RtSocketConfig(Channel channel, ConnectionConfig accepted) {
    super(channel);
    this.handshake = accepted;
    this.builder = accepted == null ? ConnectionConfig.builder() : null;
    this.isAccepted = accepted != null;
  }

  // ---- the handshake

  /**
   * What is offered at the handshake.
   *
   * @throws IllegalArgumentException naming the field, its value and its range
   */
  public synchronized ConnectionConfig connectionConfig() {
    long connectTimeoutNs = TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis());
    boolean isBuilt =
        builder == null
            && handshake.connectTimeoutNs() == connectTimeoutNs
            && isUpToDate(handshake);
    if (!isAccepted && !isBuilt) {
      handshake = shared(complete(builder().connectTimeoutNs(connectTimeoutNs)).build());
      builder = null; // of thousands of channels few are configured again
    }
    return handshake;
  }

  /** The copy of {@code built} that channels with the same options share. */
  private static ConnectionConfig shared(ConnectionConfig built) {
    ConnectionConfig before = lastBuilt;
    if (built.equals(before)) {
      return before;
    }
    lastBuilt = built;
    return built;
  }

  /** Whether {@code built} has what {@link #complete} adds. */
  boolean isUpToDate(ConnectionConfig built) {
    return true;
  }

  /** Adds what is kept elsewhere than among the options of the handshake. */
  ConnectionConfig.Builder complete(ConnectionConfig.Builder to) {
    return to;
  }

  private ConnectionConfig.Builder builder() {
    if (builder == null) {
      builder = handshake.toBuilder();
    }
    return builder;
  }

  /** Replaces all handshake options at once. */
  synchronized void replaceConnectionConfig(ConnectionConfig config) {
    refuseIfAccepted("connectionConfig");
    builder = config.toBuilder();
  }

  private void refuseIfAccepted(String name) {
    if (isAccepted) {
      throw new IllegalStateException(
          name
              + " belongs to the handshake, which an accepted connection has behind it: use ServerBootstrap.option(…)");
    }
  }

  /** Whether the handshake is behind it. */
  final boolean isAccepted() {
    return isAccepted;
  }

  final int connectTimeoutMillis() {
    int millis = getConnectTimeoutMillis();
    return millis == 0 ? (int) TimeUnit.MINUTES.toMillis(5) : millis;
  }

  // ---- the socket

  synchronized PortConfig portConfig() {
    ConnectionConfig wishes = connectionConfig();
    return new PortConfig(
        wishes.isDatagramLengthMaxSet()
            ? wishes.datagramLengthBytesMax()
            : wishes.datagramLengthBytes(),
        wishes.isPathMtuDiscovered(),
        receiveBufferBytes,
        sendBufferBytes,
        trafficClass,
        reuseAddress,
        offload,
        false);
  }

  /** SO_RCVBUF of the socket that will be opened, bytes. */
  public synchronized int getReceiveBufferSize() {
    return receiveBufferBytes;
  }

  synchronized void receiveBufferBytes(int bytes) {
    receiveBufferBytes = ObjectUtil.checkPositive(bytes, "SO_RCVBUF");
  }

  /** SO_SNDBUF of the socket that will be opened, bytes; 0: the system's. */
  public synchronized int getSendBufferSize() {
    return sendBufferBytes;
  }

  synchronized void sendBufferBytes(int bytes) {
    sendBufferBytes = ObjectUtil.checkPositive(bytes, "SO_SNDBUF");
  }

  /** SO_REUSEADDR of the socket that will be opened. */
  public synchronized boolean isReuseAddress() {
    return reuseAddress;
  }

  synchronized void reuseAddress(boolean isWanted) {
    reuseAddress = isWanted;
  }

  /** IP_TOS: of what leaves the socket; without effect where that is not this channel's own. */
  public synchronized int getTrafficClass() {
    return trafficClass;
  }

  synchronized void trafficClass(int value) {
    trafficClass = ObjectUtil.checkInRange(value, 0, TRAFFIC_CLASS_MAX, "IP_TOS");
  }

  // ---- options

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    Map<ChannelOption<?>, Object> options =
        getOptions(
            super.getOptions(),
            ChannelOption.SO_RCVBUF,
            ChannelOption.SO_SNDBUF,
            ChannelOption.SO_REUSEADDR,
            ChannelOption.IP_TOS,
            RtChannelOption.OFFLOAD);
    return getOptions(options, HandshakeOptions.all().toArray(ChannelOption<?>[]::new));
  }

  @Override
  @SuppressWarnings("unchecked")
  public synchronized <T> T getOption(ChannelOption<T> option) {
    HandshakeOptions.Field<T> field = HandshakeOptions.field(option);
    if (field != null) {
      return field.read().apply(builder == null ? handshake : builder.build());
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
    if (option == ChannelOption.IP_TOS) {
      return (T) Integer.valueOf(trafficClass);
    }
    if (option == RtChannelOption.OFFLOAD) {
      return (T) Boolean.valueOf(offload);
    }
    return super.getOption(option);
  }

  @Override
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    HandshakeOptions.Field<T> field = HandshakeOptions.field(option);
    if (field != null) {
      refuseIfAccepted(option.name());
      set(field, ObjectUtil.checkNotNull(value, option.name()));
    } else if (option == ChannelOption.SO_RCVBUF) {
      receiveBufferBytes((Integer) value);
    } else if (option == ChannelOption.SO_SNDBUF) {
      sendBufferBytes((Integer) value);
    } else if (option == ChannelOption.SO_REUSEADDR) {
      reuseAddress((Boolean) value);
    } else if (option == ChannelOption.IP_TOS) {
      trafficClass((Integer) value);
    } else if (option == RtChannelOption.OFFLOAD) {
      offload((Boolean) value);
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  private synchronized <T> void set(HandshakeOptions.Field<T> field, T value) {
    field.set().accept(builder(), value);
  }

  private synchronized void offload(boolean isWanted) {
    offload = isWanted;
  }
}
