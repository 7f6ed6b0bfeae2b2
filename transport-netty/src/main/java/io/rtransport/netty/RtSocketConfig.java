package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.internal.loop.LinkApplications;
import io.rtransport.netty.port.PortConfig;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Options that both kinds of RT's channels have: those of the handshake and those of the socket.
 * Handshake options are collected, and checked together when {@code connect} or {@code bind} uses
 * them.
 */
abstract class RtSocketConfig extends DefaultChannelConfig {
  private static final int TRAFFIC_CLASS_MAX = 255;

  /**
   * The configuration built last in this process. Thousands of channels with equal options share
   * it.
   */
  private static volatile ConnectionConfig lastBuilt;

  private final boolean isAccepted;
  private ConnectionConfig handshake; // null while the builder has the values
  private ConnectionConfig.Builder builder;
  private int receiveBufferBytes = 4 << 20;
  private int sendBufferBytes;
  private int trafficClass;
  private boolean reuseAddress;
  private boolean offload = true;
  private volatile LinkApplications linkApplications;

  /**
   * @param accepted the offer of an accepted connection, which no option can change; else null, and
   *     every option begins at its default
   */
  RtSocketConfig(Channel channel, ConnectionConfig accepted) {
    super(channel);
    this.handshake = accepted;
    this.builder = accepted == null ? ConnectionConfig.builder() : null;
    this.isAccepted = accepted != null;
  }

  // ---- the handshake

  /**
   * Returns the offer of the handshake.
   *
   * @throws IllegalArgumentException that names the field, its value and its range
   */
  public synchronized ConnectionConfig connectionConfig() {
    long connectTimeoutNs = TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis());
    boolean isBuilt =
        builder == null
            && handshake.connectTimeoutNs() == connectTimeoutNs
            && isUpToDate(handshake);
    if (!isAccepted && !isBuilt) {
      handshake = shared(complete(builder().connectTimeoutNs(connectTimeoutNs)).build());
      builder = null; // few of thousands of channels are configured again
    }
    return handshake;
  }

  /** Returns the copy of {@code built} that channels with the same options share. */
  private static ConnectionConfig shared(ConnectionConfig built) {
    ConnectionConfig before = lastBuilt;
    if (built.equals(before)) {
      return before;
    }
    lastBuilt = built;
    return built;
  }

  /** Returns whether {@code built} has the values that {@link #complete} adds. */
  boolean isUpToDate(ConnectionConfig built) {
    return true;
  }

  /** Adds the values that are kept outside the options of the handshake. */
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

  /** Returns whether the channel was accepted: then its handshake is over. */
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

  /** Returns SO_RCVBUF of the socket that will be opened, bytes. */
  public synchronized int getReceiveBufferSize() {
    return receiveBufferBytes;
  }

  synchronized void receiveBufferBytes(int bytes) {
    receiveBufferBytes = ObjectUtil.checkPositive(bytes, "SO_RCVBUF");
  }

  /**
   * Returns SO_SNDBUF of the socket that will be opened, bytes; 0 stands for the system's default.
   */
  public synchronized int getSendBufferSize() {
    return sendBufferBytes;
  }

  synchronized void sendBufferBytes(int bytes) {
    sendBufferBytes = ObjectUtil.checkPositive(bytes, "SO_SNDBUF");
  }

  /** Returns SO_REUSEADDR of the socket that will be opened. */
  public synchronized boolean isReuseAddress() {
    return reuseAddress;
  }

  synchronized void reuseAddress(boolean isWanted) {
    reuseAddress = isWanted;
  }

  /**
   * Returns IP_TOS of the datagrams that leave the socket. It has no effect if the socket is not
   * this channel's own.
   */
  public synchronized int getTrafficClass() {
    return trafficClass;
  }

  synchronized void trafficClass(int value) {
    trafficClass = ObjectUtil.checkInRange(value, 0, TRAFFIC_CLASS_MAX, "IP_TOS");
  }

  /** Returns who takes the entries of connections; null: their channels' queues. */
  LinkApplications linkApplications() {
    return linkApplications;
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
    if (option == LinkApplications.OPTION) {
      return (T) linkApplications;
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
    } else if (option == LinkApplications.OPTION) {
      linkApplications = (LinkApplications) value;
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
