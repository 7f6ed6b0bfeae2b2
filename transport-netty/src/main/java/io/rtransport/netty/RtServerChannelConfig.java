package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.Limits;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Configuration of an {@link RtServerChannel}: its offer to connecting peers, its sockets, and how
 * many connections may wait for it. Handshake options are collected, and checked together when
 * {@code bind} uses them. Any thread.
 */
public final class RtServerChannelConfig extends RtSocketConfig
    implements ServerSocketChannelConfig {
  private static final int LISTEN_MAX = Limits.PATHS_MAX - 1;

  private final Runnable onAutoReadCleared;
  private int receiveLoops = 1;
  private volatile List<InetSocketAddress> listen = List.of();
  private volatile int backlog = NetUtil.SOMAXCONN;
  private volatile int fastOpen;

  /**
   * @param onAutoReadCleared run on any thread when {@code autoRead} is switched off
   */
  RtServerChannelConfig(Channel channel, Runnable onAutoReadCleared) {
    super(channel, null);
    this.onAutoReadCleared = onAutoReadCleared;
  }

  /** Replaces all handshake options at once. */
  public RtServerChannelConfig connectionConfig(ConnectionConfig config) {
    replaceConnectionConfig(config);
    return this;
  }

  @Override
  protected void autoReadCleared() {
    onAutoReadCleared.run();
  }

  /** Returns how long the server channel's handlers may take to register a child, ns. */
  long registrationLimitNs() {
    return TimeUnit.MILLISECONDS.toNanos(connectTimeoutMillis());
  }

  /** Returns the number of event loops on which the server channel receives. */
  public synchronized int receiveLoops() {
    return receiveLoops;
  }

  private synchronized void receiveLoops(int count) {
    receiveLoops = ObjectUtil.checkPositive(count, "RECEIVE_LOOPS");
  }

  /** Returns {@link RtChannelOption#LISTEN}. It is checked by {@code bind}. */
  public List<InetSocketAddress> listen() {
    return listen;
  }

  private void listen(List<InetSocketAddress> value) {
    listen = Collections.unmodifiableList(new ArrayList<>(value));
  }

  /**
   * Returns the addresses to bind to.
   *
   * @param first the address of {@code bind}; null: any
   * @throws IllegalArgumentException if LISTEN does not go with it
   */
  List<InetSocketAddress> addresses(InetSocketAddress first) {
    List<InetSocketAddress> others = listen;
    if (others.isEmpty()) {
      return Collections.singletonList(first);
    }
    if (others.size() > LISTEN_MAX) {
      throw invalid("LISTEN=" + others, "0.." + LISTEN_MAX + " addresses beside that of bind");
    }
    if (first == null || first.isUnresolved() || first.getAddress().isAnyLocalAddress()) {
      throw invalid("bind=" + first, "a concrete address beside LISTEN=" + others);
    }
    List<InetSocketAddress> all = new ArrayList<>(List.of(first));
    for (InetSocketAddress other : others) {
      if (other == null || other.isUnresolved() || other.getAddress().isAnyLocalAddress()) {
        throw invalid("LISTEN=" + other, "a concrete address of this host");
      }
      if (other.getPort() != 0 && all.contains(other)) {
        throw invalid("LISTEN=" + other, "each address once, that of bind included");
      }
      if (other.getAddress().getClass() != first.getAddress().getClass()) {
        throw invalid("LISTEN=" + other, "addresses of the family of " + first);
      }
      all.add(other);
    }
    return all;
  }

  /**
   * Checks an address that is to join.
   *
   * @param now those at which the channel listens, that of {@code bind} first
   * @param joining those that are being joined
   * @throws IllegalArgumentException if it may not
   */
  static void checkJoining(
      InetSocketAddress address, List<InetSocketAddress> now, Set<InetSocketAddress> joining) {
    InetSocketAddress first = now.get(0);
    if (first.getAddress().isAnyLocalAddress()) {
      throw invalid("bind=" + first, "a concrete address beside " + address);
    }
    if (address.isUnresolved() || address.getAddress().isAnyLocalAddress()) {
      throw invalid("address=" + address, "a concrete address of this host");
    }
    if (now.contains(address) || address.getPort() != 0 && joining.contains(address)) {
      throw invalid("address=" + address, "one that is not yet among " + now);
    }
    if (address.getAddress().getClass() != first.getAddress().getClass()) {
      throw invalid("address=" + address, "addresses of the family of " + first);
    }
    if (now.size() + joining.size() > LISTEN_MAX) {
      throw invalid("address=" + address, "at most " + (LISTEN_MAX + 1) + " addresses: " + now);
    }
  }

  private static IllegalArgumentException invalid(String value, String valid) {
    return new IllegalArgumentException(value + ", valid: " + valid);
  }

  /**
   * Returns SO_BACKLOG: how many connections may be set up although nobody has read them yet. 0
   * stands for 1. Beyond that number a handshake is dropped, and its initiator tries again. With
   * RECEIVE_LOOPS above 1, loops that check at the same moment may exceed the number by one each.
   */
  @Override
  public int getBacklog() {
    return backlog;
  }

  /**
   * Sets SO_BACKLOG. Allowed at any time; waiting connections are not dropped when it is lowered.
   */
  @Override
  public RtServerChannelConfig setBacklog(int count) {
    backlog = ObjectUtil.checkPositiveOrZero(count, "SO_BACKLOG");
    return this;
  }

  @Override
  public RtServerChannelConfig setReceiveBufferSize(int bytes) {
    receiveBufferBytes(bytes);
    return this;
  }

  @Override
  public RtServerChannelConfig setReuseAddress(boolean isWanted) {
    reuseAddress(isWanted);
    return this;
  }

  /** Does nothing, as in Netty's own channels: no system uses these values. */
  @Override
  public RtServerChannelConfig setPerformancePreferences(
      int connectionTime, int latency, int bandwidth) {
    return this;
  }

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(
        super.getOptions(),
        ChannelOption.SO_BACKLOG,
        ChannelOption.TCP_FASTOPEN,
        RtChannelOption.LISTEN,
        RtChannelOption.RECEIVE_LOOPS);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T getOption(ChannelOption<T> option) {
    if (option == ChannelOption.SO_BACKLOG) {
      return (T) Integer.valueOf(backlog);
    }
    if (option == ChannelOption.TCP_FASTOPEN) {
      return (T) Integer.valueOf(fastOpen);
    }
    if (option == RtChannelOption.LISTEN) {
      return (T) listen;
    }
    if (option == RtChannelOption.RECEIVE_LOOPS) {
      return (T) Integer.valueOf(receiveLoops());
    }
    return super.getOption(option);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (option == ChannelOption.SO_BACKLOG) {
      setBacklog((Integer) value);
    } else if (option == ChannelOption.TCP_FASTOPEN) {
      // Only stored: a client's first message confirms its handshake, so it needs no queue.
      fastOpen = ObjectUtil.checkPositiveOrZero((Integer) value, "TCP_FASTOPEN");
    } else if (option == RtChannelOption.LISTEN) {
      listen(ObjectUtil.checkNotNull((List<InetSocketAddress>) value, "LISTEN"));
    } else if (option == RtChannelOption.RECEIVE_LOOPS) {
      receiveLoops((Integer) value);
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  // ---- Netty's own setters, which return this class

  @Override
  public RtServerChannelConfig setConnectTimeoutMillis(int millis) {
    super.setConnectTimeoutMillis(millis);
    return this;
  }

  @Override
  @Deprecated
  public RtServerChannelConfig setMaxMessagesPerRead(int count) {
    super.setMaxMessagesPerRead(count);
    return this;
  }

  @Override
  public RtServerChannelConfig setWriteSpinCount(int count) {
    super.setWriteSpinCount(count);
    return this;
  }

  @Override
  public RtServerChannelConfig setAllocator(ByteBufAllocator allocator) {
    super.setAllocator(allocator);
    return this;
  }

  @Override
  public RtServerChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
    super.setRecvByteBufAllocator(allocator);
    return this;
  }

  @Override
  public RtServerChannelConfig setAutoRead(boolean isWanted) {
    super.setAutoRead(isWanted);
    return this;
  }

  @Override
  public RtServerChannelConfig setAutoClose(boolean isWanted) {
    super.setAutoClose(isWanted);
    return this;
  }

  @Override
  public RtServerChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
    super.setMessageSizeEstimator(estimator);
    return this;
  }

  @Override
  public RtServerChannelConfig setWriteBufferHighWaterMark(int bytes) {
    super.setWriteBufferHighWaterMark(bytes);
    return this;
  }

  @Override
  public RtServerChannelConfig setWriteBufferLowWaterMark(int bytes) {
    super.setWriteBufferLowWaterMark(bytes);
    return this;
  }

  @Override
  public RtServerChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark marks) {
    super.setWriteBufferWaterMark(marks);
    return this;
  }
}
