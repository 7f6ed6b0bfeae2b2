package io.rtransport.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.parameter.ConnectionParameter;
import io.rtransport.netty.RtChannelOption.Acknowledge;
import io.rtransport.netty.RtChannelOption.WriteCompletes;
import io.rtransport.netty.internal.file.FileThreads;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Configuration of an {@link RtChannel}: all of Netty's options of a TCP channel, as far as they
 * have a meaning here, and {@link RtChannelOption}'s. Handshake options are collected, and checked
 * as a whole when they are used by {@code connect}. Any thread.
 */
public final class RtChannelConfig extends RtSocketConfig implements SocketChannelConfig {
  private static final int MAX_BUFFERED_MESSAGE = 16 << 20;

  /**
   * What TCP_NODELAY = false stands for: as long as an acknowledgement may be held back by default.
   */
  static final int DELAYED_FLUSH_MICROS = 1_000;

  private static final int FLUSH_WINDOW_MICROS_MAX =
      (int) TimeUnit.NANOSECONDS.toMicros(ConnectionParameter.FLUSH_WINDOW_MICROS.max());

  /**
   * The high one is above Netty's 64 KiB, for what waits for a grant counts for a round trip, where
   * TCP's bytes lie in the system's send buffer. The low one is Netty's, so that whoever sets the
   * high one alone can set what he could over TCP.
   */
  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 << 10, 512 << 10);

  private volatile boolean isKeepAlive;
  private volatile long flushWindowNs; // a connectionConfig may say parts of microseconds
  private volatile int linger = -1;
  private volatile boolean allowHalfClosure;
  private volatile boolean fastOpenConnect;
  private volatile int maxBufferedMessage = MAX_BUFFERED_MESSAGE;
  private volatile PayloadSinks payloadSinks;
  private volatile Executor fileExecutor;
  private volatile Acknowledge acknowledge = Acknowledge.ON_READ;
  private volatile WriteCompletes writeCompletes = WriteCompletes.COMPLETED;

  /**
   * @param accepted what was offered for an accepted connection; else null, and all begins at its
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

  // ---- what the peer is not told, and may change while the channel lives

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
   * SO_KEEPALIVE, and {@link RtChannelOption#KEEPALIVE}: whether a silent connection is kept alive.
   * At any time.
   */
  @Override
  public RtChannelConfig setKeepAlive(boolean isWanted) {
    if (isWanted != isKeepAlive) {
      isKeepAlive = isWanted;
      target().onSet(verbs -> verbs.keepalive(isKeepAlive));
    }
    return this;
  }

  /** {@link RtChannelOption#FLUSH_WINDOW_MICROS}. */
  public int flushWindowMicros() {
    return (int) TimeUnit.NANOSECONDS.toMicros(flushWindowNs);
  }

  /**
   * {@link RtChannelOption#FLUSH_WINDOW_MICROS}, at any time: what is out of range is refused at
   * once where there is a connection, else by {@code connect}.
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
   * TCP_NODELAY: true is no flush window, false one of 1,000 microseconds where none is set. At any
   * time.
   */
  @Override
  public RtChannelConfig setTcpNoDelay(boolean isWanted) {
    if (isWanted != isTcpNoDelay()) {
      flushWindowMicros(isWanted ? 0 : DELAYED_FLUSH_MICROS);
    }
    return this;
  }

  /**
   * IP_TOS, 0..255: at any time, of a channel that has a socket of its own. Accepted channels, and
   * those of a shared socket that is open, keep the value and send as their socket does.
   */
  @Override
  public RtChannelConfig setTrafficClass(int value) {
    trafficClass(value);
    target().onTrafficClass(value);
    return this;
  }

  /**
   * TCP_FASTOPEN_CONNECT: whether what is flushed before {@code connect} is kept, and leaves once
   * connected, instead of failing.
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

  /** Does nothing, as for Netty's own channels: no system uses it. */
  @Override
  public RtChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
    return this;
  }

  // ---- the channel

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

  /**
   * SO_LINGER: 0 makes close a reset, seconds above 0 make it wait for the drain; by default (-1)
   * it drains in the background.
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
   * ALLOW_HALF_CLOSURE: whether the channel stays open when the peer has shut down its output;
   * default no, as for Netty's sockets.
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
    if (option == RtChannelOption.ACKNOWLEDGE) {
      return (T) acknowledge;
    }
    if (option == RtChannelOption.WRITE_COMPLETES) {
      return (T) writeCompletes;
    }
    return super.getOption(option);
  }

  @Override
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
    } else if (option == RtChannelOption.WRITE_COMPLETES) {
      writeCompletes = ObjectUtil.checkNotNull((WriteCompletes) value, "WRITE_COMPLETES");
    } else if (option == RtChannelOption.ACKNOWLEDGE) {
      acknowledge = ObjectUtil.checkNotNull((Acknowledge) value, "ACKNOWLEDGE");
    } else {
      return super.setOption(option, value);
    }
    return true;
  }

  // ---- Netty's own, which return this class

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
