package io.rtransport.netty.queue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.EventConsumer;
import io.rtransport.core.queue.EventQueueContext;
import io.rtransport.core.queue.EventQueueControls;
import io.rtransport.core.queue.SubmissionRing;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.port.DatagramPort;
import io.rtransport.netty.port.PortFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What {@link RtQueues} are opened with. It may be changed until then. For one thread at a time.
 */
public final class RtQueueConfig {
  private static final int BYTES_MIN = 1 << 13;
  private static final int MESSAGE_BYTES_MAX = 1 << 30;

  private EventLoopGroup shared;
  private PortFactory sharedPorts;
  private ConnectionConfig handshake = ConnectionConfig.builder().build();
  private Consumer<RtChannel> channelSettings = channel -> {};
  private Consumer<RtServerChannel> listenerSettings = channel -> {};
  private int threads = 1;
  private boolean isNio;
  private long delayNs = 100_000;
  private boolean isImmediate = true;
  private boolean isSelfTuning;
  private int connectionsMax = 256;
  private int postedMax = 1 << 12;
  private int submissionBytes = 1 << 20;
  private int inboundMax = 1 << 12;
  private int inboundBytes = 1 << 20;
  private int messageBytesMax = 16 << 20;

  /** Returns a configuration with the defaults that each method names. */
  public static RtQueueConfig defaults() {
    return new RtQueueConfig();
  }

  private RtQueueConfig() {}

  /**
   * Uses event loops of the caller, who shuts them down afterwards. Default: loops of its own.
   *
   * @param sockets makes sockets that fit the group's {@code IoHandler}, such as {@code
   *     NioDatagramChannel::new}
   */
  public RtQueueConfig group(EventLoopGroup group, Supplier<? extends DatagramChannel> sockets) {
    return ports(group, DatagramPort.factory(Objects.requireNonNull(sockets, "sockets")));
  }

  /** Sets ports without sockets, for tests. */
  RtQueueConfig ports(EventLoopGroup group, PortFactory ports) {
    shared = Objects.requireNonNull(group, "group");
    sharedPorts = ports;
    return this;
  }

  /** Sets the offer of the handshake, and with it what a connection's parameters begin with. */
  public RtQueueConfig handshake(ConnectionConfig config) {
    handshake = Objects.requireNonNull(config, "handshake");
    return this;
  }

  /**
   * Sets up the channel below each connection before it is used, on its event loop: options such as
   * {@code RAILS}, and handlers of packets. Options of reads and writes have no meaning here. What
   * is set here goes before {@link #handshake}.
   */
  public RtQueueConfig channels(Consumer<RtChannel> settings) {
    channelSettings = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /**
   * Sets up the channel below each listener before it is bound, on its event loop: options such as
   * {@code RECEIVE_LOOPS}, and those of the handshake, which go before {@link #handshake}.
   */
  public RtQueueConfig listeners(Consumer<RtServerChannel> settings) {
    listenerSettings = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /** Sets the number of event loops of its own, 1 to 64; default 1. */
  public RtQueueConfig threads(int count) {
    threads = check("threads", count, 1, 64);
    return this;
  }

  /** Uses NIO even if epoll is available, for event loops of its own. */
  public RtQueueConfig nio() {
    isNio = true;
    return this;
  }

  /**
   * Sets how late a consumer may be before it is woken: the document's next interrupt delay.
   *
   * @param delay 0 to 10 s; default 100 µs. A consumer that sleeps is woken at most once a delay,
   *     unless {@link #wakeAtOnce} is on
   */
  public RtQueueConfig delay(Duration delay) {
    delayNs = checkedDelayNs(delay);
    return this;
  }

  static long checkedDelayNs(Duration delay) {
    long ns;
    try {
      ns = delay.toNanos();
    } catch (ArithmeticException e) {
      ns = Long.MAX_VALUE;
    }
    if (ns < 0 || ns > EventQueueContext.DELAY_NS_MAX) {
      throw new IllegalArgumentException("delay=" + delay + ", valid: 0 to 10 s");
    }
    return ns;
  }

  /**
   * Sets whether a consumer that sleeps is woken by the first entry that it finds (the document's
   * PSUM+INT), or only once the delay has passed since then.
   *
   * @param isOn default true: lowest latency. False: fewest wake-ups
   */
  public RtQueueConfig wakeAtOnce(boolean isOn) {
    isImmediate = isOn;
    return this;
  }

  /**
   * Sets whether each event loop chooses by what it measures how long a consumer that sleeps is
   * left asleep, and up to how many entries: at once for few, up to 800 µs where that saves
   * wake-ups. {@link #wakeAtOnce} and {@link #delay} then have no effect.
   *
   * @param isOn default false
   */
  public RtQueueConfig selfTuning(boolean isOn) {
    isSelfTuning = isOn;
    return this;
  }

  /**
   * Sets how many connections there may be on each event loop.
   *
   * @param count 1 to 4,096; default 256. Further ones are refused
   */
  public RtQueueConfig connectionsMax(int count) {
    connectionsMax = check("connectionsMax", count, 1, EventConsumer.COMPLETION_QUEUES_MAX);
    return this;
  }

  /**
   * Sets how many own transactions a connection may have that are posted, and whose end was not
   * polled.
   *
   * @param count 1 to 65,536; default 4,096. Posting beyond is refused: {@link
   *     RtQueueConnection#BACK_PRESSURED}
   */
  public RtQueueConfig postedMax(int count) {
    postedMax = check("postedMax", count, 1, CompletionQueue.CAPACITY_MAX);
    return this;
  }

  /**
   * Sets how many bytes of posted messages a connection keeps until they are in packets.
   *
   * @param bytes 8 KiB to 256 MiB, a power of two; default 1 MiB. A message that is copied may have
   *     an eighth of it; a longer one is lent
   */
  public RtQueueConfig submissionBytes(int bytes) {
    submissionBytes = checkPowerOfTwo("submissionBytes", bytes);
    return this;
  }

  /**
   * Sets how many messages and requests of its peer a connection hands over before some are
   * answered.
   *
   * @param count 1 to 65,536; default 4,096. Beyond, the peer is held back
   */
  public RtQueueConfig inboundMax(int count) {
    inboundMax = check("inboundMax", count, 1, CompletionQueue.CAPACITY_MAX);
    return this;
  }

  /**
   * Sets how many bytes of its peer's small messages a connection keeps until they are polled.
   *
   * @param bytes 8 KiB to 256 MiB, a power of two; default 1 MiB. Messages up to an eighth of it
   *     are copied there; longer ones have a buffer of their own
   */
  public RtQueueConfig inboundBytes(int bytes) {
    inboundBytes = checkPowerOfTwo("inboundBytes", bytes);
    return this;
  }

  /**
   * Sets the longest message that is taken from a peer, and the longest answer to a pull.
   *
   * @param bytes 0 to 1 GiB; default 16 MiB. A longer push is refused, and was not executed
   */
  public RtQueueConfig messageBytesMax(int bytes) {
    messageBytesMax = check("messageBytesMax", bytes, 0, MESSAGE_BYTES_MAX);
    return this;
  }

  private static int check(String field, int value, int min, int max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(field + "=" + value + ", valid: " + min + ".." + max);
    }
    return value;
  }

  private static int checkPowerOfTwo(String field, int value) {
    if (value < BYTES_MIN || value > SubmissionRing.BYTES_MAX || Integer.bitCount(value) != 1) {
      throw new IllegalArgumentException(
          field
              + "="
              + value
              + ", valid: a power of two in "
              + BYTES_MIN
              + ".."
              + SubmissionRing.BYTES_MAX);
    }
    return value;
  }

  boolean isOwner() {
    return shared == null;
  }

  EventLoopGroup loops() {
    if (shared != null) {
      return shared;
    }
    return new MultiThreadIoEventLoopGroup(
        threads,
        new DefaultThreadFactory("rt-queues"),
        isEpoll() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
  }

  PortFactory ports() {
    if (shared != null) {
      return sharedPorts;
    }
    return DatagramPort.factory(isEpoll() ? EpollDatagramChannel::new : NioDatagramChannel::new);
  }

  private boolean isEpoll() {
    return !isNio && Epoll.isAvailable();
  }

  /** Sets up a channel that connects. */
  void prepare(RtChannel channel) {
    channel.config().connectionConfig(handshake);
    channelSettings.accept(channel);
  }

  /** Sets up a channel that was accepted: it has the listener's handshake. */
  void prepareAccepted(RtChannel channel) {
    channelSettings.accept(channel);
  }

  /** Sets up a channel that listens. */
  void prepare(RtServerChannel channel) {
    channel.config().connectionConfig(handshake);
    listenerSettings.accept(channel);
  }

  long delayNs() {
    return delayNs;
  }

  EventQueueControls controls() {
    if (isSelfTuning) {
      return EventQueueControls.selfTuned();
    }
    return isImmediate ? EventQueueControls.immediate() : EventQueueControls.moderated();
  }

  int connectionsMax() {
    return connectionsMax;
  }

  int postedMax() {
    return postedMax;
  }

  int submissionBytes() {
    return submissionBytes;
  }

  int inboundMax() {
    return inboundMax;
  }

  int inboundBytes() {
    return inboundBytes;
  }

  int messageBytesMax() {
    return messageBytesMax;
  }
}
