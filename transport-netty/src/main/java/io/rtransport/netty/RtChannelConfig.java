package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.file.FileThreads;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Configuration of an {@link RtChannel}. It has those of Netty's options of a TCP channel that have
 * a meaning here, and those of {@link RtChannelOption}. Handshake options are collected, and
 * checked together when {@code connect} uses them. Any thread.
 */
public final class RtChannelConfig extends RtSocketConfig implements SocketChannelConfig {
  private static final int MAX_BUFFERED_MESSAGE = 16 << 20;

  /**
   * The flush window that TCP_NODELAY = false sets, microseconds: the default of the time that an
   * acknowledgement may be held back.
   */
  static final int DELAYED_FLUSH_MICROS = 1_000;

  private static final int RAILS_MAX = Limits.PATHS_MAX - 1;

  private static final int FLUSH_WINDOW_MICROS_MAX =
      (int) TimeUnit.NANOSECONDS.toMicros(ConnectionParameter.FLUSH_WINDOW_MICROS.max());

  /**
   * Default water marks. The high one is above Netty's 64 KiB: bytes that wait for a grant count
   * for a round trip, while TCP's bytes lie in the system's send buffer. The low one is Netty's, so
   * an application that sets only the high one may set the same value as over TCP.
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 << 10, 512 << 10);

  private volatile boolean isKeepAlive;
  private volatile long flushWindowNs; // connectionConfig(…) may set fractions of a microsecond
  private volatile int linger = -1;
  private volatile boolean allowHalfClosure;
  private volatile boolean fastOpenConnect;
  private volatile int maxBufferedMessage = MAX_BUFFERED_MESSAGE;
  private volatile PayloadSinks payloadSinks;
  private volatile List<RtRail> rails = List.of();
  private volatile Executor fileExecutor;
  private volatile Acknowledge acknowledge = Acknowledge.ON_READ;
  private volatile WriteCompletes writeCompletes = WriteCompletes.COMPLETED;

  /**
   * @param accepted the offer of an accepted connection; else null, and every option begins at its
   *     default
   */
  <T extends Channel & ConfigTarget> RtChannelConfig(T channel, ConnectionConfig accepted) {
    super(channel, accepted);
    setWriteBufferWaterMark(WATER_MARK);
    if (accepted != null) {
      takeLocal(accepted);
    }
  }

  private ConfigTarget target() {
    return (ConfigTarget) channel;
  }

  @Override
  protected void autoReadCleared() {
    target().clearRead();
  }

  // ---- options that the peer is not told of, and that may change while the channel lives

  private void takeLocal(ConnectionConfig from) {
    isKeepAlive = from.isKeepalive();
    flushWindowNs = from.flushWindowNs();
  }

  @Override
  boolean isUpToDate(ConnectionConfig built) {
    return built.isKeepalive() == isKeepAlive && built.flushWindowNs() == flushWindowNs;
  }

  @Override
  ConnectionConfig.Builder complete(ConnectionConfig.Builder to) {
    return to.keepalive(isKeepAlive).flushWindowNs(flushWindowNs);
  }

  /** Replaces all handshake options at once. */
  public synchronized RtChannelConfig connectionConfig(ConnectionConfig config) {
    replaceConnectionConfig(config);
    takeLocal(config);
    return this;
  }

  @Override
  public boolean isKeepAlive() {
    return isKeepAlive;
  }

  /**
   * Sets SO_KEEPALIVE, which is also {@link RtChannelOption#KEEPALIVE}: whether a silent connection
   * is kept alive. Allowed at any time.
   */
  @Override
  public RtChannelConfig setKeepAlive(boolean isWanted) {
    if (isWanted != isKeepAlive) {
      isKeepAlive = isWanted;
      target().onSet(verbs -> verbs.keepalive(isKeepAlive));
    }
    return this;
  }

  /** Returns {@link RtChannelOption#FLUSH_WINDOW_MICROS}. */
  public int flushWindowMicros() {
    return (int) TimeUnit.NANOSECONDS.toMicros(flushWindowNs);
  }

  /**
   * Sets {@link RtChannelOption#FLUSH_WINDOW_MICROS}. Allowed at any time. A value out of range is
   * refused at once if there is a connection, else by {@code connect}.
   */
  public RtChannelConfig flushWindowMicros(int micros) {
    if (isAccepted() || channel.isActive()) {
      ObjectUtil.checkInRange(micros, 0, FLUSH_WINDOW_MICROS_MAX, "FLUSH_WINDOW_MICROS");
    }
    long windowNs = TimeUnit.MICROSECONDS.toNanos(micros);
    if (windowNs != flushWindowNs) {
      flushWindowNs = windowNs;
      target().onSet(verbs -> verbs.flushWindow(flushWindowNs));
    }
    return this;
  }

  @Override
  public boolean isTcpNoDelay() {
    return flushWindowNs == 0;
  }

  /**
   * Sets TCP_NODELAY. True means no flush window. False sets a flush window of 1,000 microseconds
   * if none is set. Allowed at any time.
   */
  @Override
  public RtChannelConfig setTcpNoDelay(boolean isWanted) {
    if (isWanted != isTcpNoDelay()) {
      flushWindowMicros(isWanted ? 0 : DELAYED_FLUSH_MICROS);
    }
    return this;
  }

  /**
   * Sets IP_TOS, 0..255. Allowed at any time for a channel that has a socket of its own. Accepted
   * channels, and channels of a shared socket that is open, only keep the value and send as their
   * socket does.
   */
  @Override
  public RtChannelConfig setTrafficClass(int value) {
    trafficClass(value);
    target().onTrafficClass(value);
    return this;
  }

  /**
   * Returns TCP_FASTOPEN_CONNECT. If true, a message that is flushed before {@code connect} is kept
   * and leaves once the channel is connected. If false, it fails.
   */
  public boolean isFastOpenConnect() {
    return fastOpenConnect;
  }

  // ---- the socket, before it is opened

  @Override
  public RtChannelConfig setReceiveBufferSize(int bytes) {
    receiveBufferBytes(bytes);
    return this;
  }

  @Override
  public RtChannelConfig setSendBufferSize(int bytes) {
    sendBufferBytes(bytes);
    return this;
  }

  @Override
  public RtChannelConfig setReuseAddress(boolean isWanted) {
    reuseAddress(isWanted);
    return this;
  }

  /** Does nothing, as in Netty's own channels: no system uses these values. */
  @Override
  public RtChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
    return this;
  }

  // ---- the channel

  /** Returns the length of the largest inbound message that is collected in a buffer, bytes. */
  public int maxBufferedMessage() {
    return maxBufferedMessage;
  }

  /** Returns the chooser that says where each inbound push goes, or null. */
  public PayloadSinks payloadSinks() {
    return payloadSinks;
  }

  /**
   * Returns the executor that reads and writes files; see {@link RtChannelOption#FILE_EXECUTOR}.
   */
  public Executor fileExecutor() {
    Executor given = fileExecutor;
    return given == null ? FileThreads.shared() : given;
  }

  /** Returns {@link RtChannelOption#RAILS}. */
  public List<RtRail> rails() {
    return rails;
  }

  private void rails(List<RtRail> value) {
    if (value.size() > RAILS_MAX) {
      throw new IllegalArgumentException(
          "RAILS=" + value.size() + " rails, valid: 0.." + RAILS_MAX + " beside that of connect");
    }
    rails = List.copyOf(value);
  }

  public Acknowledge acknowledge() {
    return acknowledge;
  }

  public WriteCompletes writeCompletes() {
    return writeCompletes;
  }

  /**
   * Returns SO_LINGER. 0 makes a close a reset. Seconds above 0 make a close wait for the drain.
   * With -1, the default, the channel drains in the background.
   */
  @Override
  public int getSoLinger() {
    return linger;
  }

  @Override
  public RtChannelConfig setSoLinger(int seconds) {
    linger = seconds;
    return this;
  }

  /**
   * Returns ALLOW_HALF_CLOSURE: whether the channel stays open when the peer has shut down its
   * output. Default false, as for Netty's sockets.
   */
  @Override
  public boolean isAllowHalfClosure() {
    return allowHalfClosure;
  }

  @Override
  public RtChannelConfig setAllowHalfClosure(boolean isWanted) {
    allowHalfClosure = isWanted;
    return this;
  }

  // ---- options

  @Override
  public Map<ChannelOption<?>, Object> getOptions() {
    return getOptions(
        super.getOptions(),
        ChannelOption.SO_LINGER,
        ChannelOption.SO_KEEPALIVE,
        ChannelOption.TCP_NODELAY,
        ChannelOption.TCP_FASTOPEN_CONNECT,
        ChannelOption.ALLOW_HALF_CLOSURE,
        RtChannelOption.MAX_BUFFERED_MESSAGE,
        RtChannelOption.PAYLOAD_SINKS,
        RtChannelOption.RAILS,
        RtChannelOption.FILE_EXECUTOR,
        RtChannelOption.ACKNOWLEDGE,
        RtChannelOption.WRITE_COMPLETES);
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T> T getOption(ChannelOption<T> option) {
    if (option == ChannelOption.SO_LINGER) {
      return (T) Integer.valueOf(linger);
    }
    if (option == ChannelOption.SO_KEEPALIVE || option == RtChannelOption.KEEPALIVE) {
      return (T) Boolean.valueOf(isKeepAlive);
    }
    if (option == ChannelOption.TCP_NODELAY) {
      return (T) Boolean.valueOf(isTcpNoDelay());
    }
    if (option == ChannelOption.TCP_FASTOPEN_CONNECT) {
      return (T) Boolean.valueOf(fastOpenConnect);
    }
    if (option == RtChannelOption.FLUSH_WINDOW_MICROS) {
      return (T) Integer.valueOf(flushWindowMicros());
    }
    if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      return (T) Boolean.valueOf(allowHalfClosure);
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
    if (option == RtChannelOption.RAILS) {
      return (T) rails;
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
  @SuppressWarnings("unchecked") // the option says the type of its value
  public <T> boolean setOption(ChannelOption<T> option, T value) {
    if (option == ChannelOption.SO_LINGER) {
      setSoLinger((Integer) value);
    } else if (option == ChannelOption.SO_KEEPALIVE || option == RtChannelOption.KEEPALIVE) {
      setKeepAlive((Boolean) value);
    } else if (option == ChannelOption.TCP_NODELAY) {
      setTcpNoDelay((Boolean) value);
    } else if (option == ChannelOption.TCP_FASTOPEN_CONNECT) {
      fastOpenConnect = (Boolean) value;
    } else if (option == RtChannelOption.FLUSH_WINDOW_MICROS) {
      flushWindowMicros((Integer) value);
    } else if (option == ChannelOption.IP_TOS) {
      setTrafficClass((Integer) value);
    } else if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
      setAllowHalfClosure((Boolean) value);
    } else if (option == RtChannelOption.MAX_BUFFERED_MESSAGE) {
      maxBufferedMessage = ObjectUtil.checkPositiveOrZero((Integer) value, "MAX_BUFFERED_MESSAGE");
      target().onReadingSet();
    } else if (option == RtChannelOption.FILE_EXECUTOR) {
      fileExecutor = (Executor) value;
    } else if (option == RtChannelOption.PAYLOAD_SINKS) {
      payloadSinks = (PayloadSinks) value;
      target().onReadingSet();
    } else if (option == RtChannelOption.RAILS) {
      rails(ObjectUtil.checkNotNull((List<RtRail>) value, "RAILS"));
    } else if (option == RtChannelOption.WRITE_COMPLETES) {
      writeCompletes = ObjectUtil.checkNotNull((WriteCompletes) value, "WRITE_COMPLETES");
    } else if (option == RtChannelOption.ACKNOWLEDGE) {
      acknowledge = ObjectUtil.checkNotNull((Acknowledge) value, "ACKNOWLEDGE");
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  // ---- Netty's own setters, which return this class

  @Override
  public RtChannelConfig setConnectTimeoutMillis(int millis) {
    super.setConnectTimeoutMillis(millis);
    return this;
  }

  @Override
  @Deprecated
  public RtChannelConfig setMaxMessagesPerRead(int count) {
    super.setMaxMessagesPerRead(count);
    return this;
  }

  @Override
  public RtChannelConfig setWriteSpinCount(int count) {
    super.setWriteSpinCount(count);
    return this;
  }

  @Override
  public RtChannelConfig setAllocator(ByteBufAllocator allocator) {
    super.setAllocator(allocator);
    return this;
  }

  @Override
  public RtChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
    super.setRecvByteBufAllocator(allocator);
    return this;
  }

  @Override
  public RtChannelConfig setAutoRead(boolean isWanted) {
    super.setAutoRead(isWanted);
    return this;
  }

  @Override
  public RtChannelConfig setAutoClose(boolean isWanted) {
    super.setAutoClose(isWanted);
    return this;
  }

  @Override
  public RtChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
    super.setMessageSizeEstimator(estimator);
    return this;
  }

  @Override
  public RtChannelConfig setWriteBufferHighWaterMark(int bytes) {
    super.setWriteBufferHighWaterMark(bytes);
    return this;
  }

  @Override
  public RtChannelConfig setWriteBufferLowWaterMark(int bytes) {
    super.setWriteBufferLowWaterMark(bytes);
    return this;
  }

  @Override
  public RtChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark marks) {
    super.setWriteBufferWaterMark(marks);
    return this;
  }
}
