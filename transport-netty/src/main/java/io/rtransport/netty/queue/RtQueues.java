package io.rtransport.netty.queue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FutureListener;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.queue.CompletionQueue;
import io.rtransport.core.queue.EventConsumer;
import io.rtransport.core.queue.EventQueueControls;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.internal.loop.LinkApplications;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Completion and event queues of one thread that polls, the consumer.
 *
 * <pre>{@code
 * try (RtQueues queues = RtQueues.open(RtQueueConfig.defaults())) {
 *   RtQueueConnection connection = queues.connect(address);
 *   connection.submitPush(bytes, 0, bytes.length, 1);
 *   while (!isDone) {
 *     queues.await(handler, 256, Duration.ofSeconds(1));
 *   }
 * }
 * }</pre>
 *
 * <p>Threads: the first call of {@link #poll}, {@link #await}, {@link #connect} or {@link #close}
 * binds the consumer; from then on these methods are its own, and another thread gets an {@link
 * IllegalStateException}. The consumer may be a virtual thread. Any thread may call the others.
 *
 * <p>A process may have several of these, each with a consumer of its own, also on the same event
 * loops.
 */
public final class RtQueues implements AutoCloseable {
  /** Largest limit of a poll. */
  public static final int LIMIT_MAX = EventConsumer.LIMIT_MAX;

  private static final AttributeKey<QueueLink> LINK = AttributeKey.valueOf(RtQueues.class, "link");
  private static final Duration TIMEOUT_MAX = Duration.ofNanos(EventConsumer.TIMEOUT_NS_MAX);
  private static final long QUIET_MILLIS = 50;
  private static final long SHUTDOWN_MILLIS = 5_000;
  private static final long ENDING_NS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(15);
  private static final String TOO_MANY = "the consumer has no room for a connection";

  private final RtQueueConfig config;
  private final EventLoopGroup loops;
  private final ThreadParker parker = new ThreadParker();
  private final EventConsumer consumer;
  private final List<LoopQueue> queues = new ArrayList<>();
  private final List<Arrivals> arrivals = new ArrayList<>();
  private final List<RtQueueConnection> connections = new ArrayList<>();
  private final ChannelGroup listeners =
      new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);
  private final Dispatch dispatch;
  private final FutureListener<Object> onLoopEnd = ended -> onLoopEnd();
  private volatile boolean isClosed;
  private volatile boolean hasLoopEnded;
  private int nextQueue;

  private RtQueues(RtQueueConfig config) {
    this.config = config;
    loops = config.loops();
    List<EventLoop> all = new ArrayList<>();
    for (EventExecutor loop : loops) {
      all.add((EventLoop) loop);
    }
    consumer =
        new EventConsumer(
            all.size(),
            config.connectionsMax(),
            LinkRails.subjects(config.connectionsMax()),
            parker);
    EventQueueControls controls = config.controls();
    for (EventLoop loop : all) {
      LoopQueue queue = new LoopQueue(loop, consumer.addEventQueue(controls, config.delayNs()));
      queues.add(queue);
      arrivals.add(new Arrivals(queue));
      loop.terminationFuture().addListener(onLoopEnd);
    }
    dispatch = new Dispatch(all.size(), config.connectionsMax());
  }

  /** Opens queues without connections. The configuration must not be changed afterwards. */
  public static RtQueues open(RtQueueConfig config) {
    return new RtQueues(Objects.requireNonNull(config, "config"));
  }

  // ---- connections

  /**
   * Connects to {@code remote}. The connection can be posted to at once. {@link
   * RtQueueHandler#onOpen} follows when it is set up, or {@link RtQueueHandler#onClosed}; then all
   * that was posted has ended as not executed. The consumer.
   *
   * @throws IllegalStateException if there are as many connections as there may be, or from a
   *     handler, or after the close
   */
  public RtQueueConnection connect(InetSocketAddress remote) {
    Objects.requireNonNull(remote, "remote");
    checkOpen("connect");
    checkOutside("connect");
    LoopQueue queue = queues.get(nextQueue++ % queues.size());
    QueueLink link = new QueueLink(queue, config);
    RtQueueConnection connection = open(queue, link);
    if (connection == null) {
      throw new IllegalStateException(
          "connections of one event loop="
              + (config.connectionsMax() + 1)
              + ", valid: 1.."
              + config.connectionsMax());
    }
    link.rings(connection.rings);
    LinkApplications applications = link::begin;
    ChannelFuture connecting =
        new Bootstrap()
            .group(queue.loop)
            .channelFactory(RtChannels.client(config.ports()))
            .option(LinkApplications.OPTION, applications)
            .handler(
                new ChannelInitializer<RtChannel>() {
                  @Override
                  protected void initChannel(RtChannel channel) {
                    config.prepare(channel);
                    channel.pipeline().addLast(QueueTail.INSTANCE);
                  }
                })
            .connect(remote);
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            link.onNoConnection(done.cause());
          }
        });
    return connection;
  }

  /** Opens the queues of a connection; null if there is no room. */
  private RtQueueConnection open(LoopQueue queue, QueueLink link) {
    CompletionQueue completions =
        consumer.open(queue.events, config.postedMax(), config.inboundMax());
    if (completions == null) {
      return null;
    }
    ConnectionRings rings = new ConnectionRings(completions, config);
    RtQueueConnection connection =
        new RtQueueConnection(link, rings, parker, consumer::signal, config.messageBytesMax());
    dispatch.add(connection);
    connections.add(connection);
    return connection;
  }

  /**
   * Accepts connections at {@code local}: each is told by {@link RtQueueHandler#onOpen}. Waits
   * until the address is bound. Any thread but those of the event loops.
   *
   * <p>It fails with a {@code BindException} if the address is taken.
   *
   * @throws IllegalStateException after the close
   */
  public RtQueueListener listen(InetSocketAddress local) {
    if (isClosed) {
      throw new IllegalStateException("listen after the close, valid: before it");
    }
    Channel server = bind(local).syncUninterruptibly().channel();
    return new RtQueueListener(server);
  }

  /** Begins to listen. */
  ChannelFuture bind(InetSocketAddress local) {
    ChannelFuture binding =
        new ServerBootstrap()
            .group(loops)
            .channelFactory(RtChannels.server(config.ports()))
            .option(LinkApplications.OPTION, this::accepted)
            .handler(
                new ChannelInitializer<RtServerChannel>() {
                  @Override
                  protected void initChannel(RtServerChannel channel) {
                    config.prepare(channel);
                  }
                })
            .childHandler(arrival())
            .bind(local);
    listeners.add(binding.channel());
    return binding;
  }

  private QueueLink accepted(Channel channel, io.rtransport.core.connection.Connection connection) {
    QueueLink link = new QueueLink(arrivalsOf(channel.eventLoop()).queue(), config);
    channel.attr(LINK).set(link);
    return link.begin(channel, connection);
  }

  private Arrivals arrivalsOf(EventLoop loop) {
    for (Arrivals ofLoop : arrivals) {
      if (ofLoop.queue().loop == loop) {
        return ofLoop;
      }
    }
    throw new IllegalStateException("event loop " + loop + " is not of these queues");
  }

  /** Returns the handler of accepted channels: it offers them to the consumer. */
  private ChannelHandler arrival() {
    return new ChannelInitializer<RtChannel>() {
      @Override
      protected void initChannel(RtChannel channel) {
        config.prepareAccepted(channel);
        channel.pipeline().addLast(QueueTail.INSTANCE);
        if (isClosed || !arrivalsOf(channel.eventLoop()).offer(channel.attr(LINK).get())) {
          channel.close();
        }
      }
    };
  }

  private void takeArrivals() {
    for (Arrivals ofLoop : arrivals) {
      for (QueueLink link = ofLoop.take(); link != null; link = ofLoop.take()) {
        take(ofLoop.queue(), link);
      }
    }
  }

  /**
   * Closes connections that were accepted and never seen. No more come: the listeners are closed.
   */
  private void closeArrivals() {
    for (Arrivals ofLoop : arrivals) {
      try {
        ofLoop.queue().loop.submit(() -> {}).awaitUninterruptibly(); // those that come just now
      } catch (RejectedExecutionException e) {
        // The loop has ended, and its connections with it.
      }
      for (QueueLink link = ofLoop.take(); link != null; link = ofLoop.take()) {
        link.close(CloseCode.NORMAL.code(), "");
      }
    }
  }

  private void take(LoopQueue queue, QueueLink accepted) {
    RtQueueConnection connection = null;
    try {
      connection = isClosed ? null : open(queue, accepted);
    } finally { // also if there is no memory for its rings
      if (connection == null) {
        accepted.close(CloseCode.APPLICATION_CODE_MIN, TOO_MANY);
      }
    }
    if (connection != null) {
      attach(queue, accepted, connection);
    }
  }

  private void attach(LoopQueue queue, QueueLink accepted, RtQueueConnection connection) {
    try {
      queue.loop.execute(() -> accepted.attach(connection.rings));
    } catch (RejectedExecutionException e) {
      // The loop has ended: the next poll attaches it.
    }
    dispatch.tellOpen(connection);
  }

  // ---- polling

  /**
   * Hands over what has come, at once. Never blocks.
   *
   * @param limit most entries to hand over, 1 to {@link #LIMIT_MAX}; what happened to connections
   *     comes beside them
   * @return how many entries and events were handed over, or 0
   * @throws IllegalArgumentException if the limit is outside its range
   * @throws IllegalStateException by another thread than before, or from a handler
   */
  public int poll(RtQueueHandler handler, int limit) {
    begin(handler, "poll");
    try {
      int count = consumer.poll(dispatch, limit) + consumer.pollLinks(dispatch);
      afterPoll();
      return count;
    } finally {
      end();
    }
  }

  /** Waits as {@link #await(RtQueueHandler, int, Duration, int)} does, without a threshold. */
  public int await(RtQueueHandler handler, int limit, Duration timeout) {
    return await(handler, limit, timeout, 0);
  }

  /**
   * Hands over what has come; if that is nothing, sleeps until something comes, until {@link
   * #signal}, for the timeout, or until the thread is interrupted, which it then still is. While a
   * connection has ended and {@code onClosed} has not come, it returns after 10 ms.
   *
   * @param limit as of {@link #poll}
   * @param timeout 0 to a day
   * @param threshold entries of one event loop after which it is woken though the delay has not
   *     passed, 1 to 65,536; 0: by the delay alone
   * @return as {@link #poll}
   * @throws IllegalArgumentException if a value is outside its range
   * @throws IllegalStateException as {@link #poll}
   */
  public int await(RtQueueHandler handler, int limit, Duration timeout, int threshold) {
    begin(handler, "await");
    try {
      long timeoutNs = nanosOf(timeout);
      if (!dispatch.ended().isEmpty()) { // nothing wakes for its removal
        timeoutNs = Math.min(timeoutNs, ENDING_NS);
      }
      int count = consumer.await(dispatch, limit, timeoutNs, threshold);
      afterPoll();
      return count;
    } finally {
      end();
    }
  }

  private void checkOutside(String verb) {
    if (dispatch.handler() != null) {
      throw new IllegalStateException(verb + " from a handler of these queues, valid: outside");
    }
  }

  private static long nanosOf(Duration timeout) {
    if (timeout.isNegative() || timeout.compareTo(TIMEOUT_MAX) > 0) {
      throw new IllegalArgumentException("timeout=" + timeout + ", valid: 0 to a day");
    }
    return timeout.toNanos();
  }

  private void begin(RtQueueHandler handler, String verb) {
    parker.checkThread(verb);
    checkOutside(verb);
    dispatch.handler(Objects.requireNonNull(handler, "handler"));
    if (hasLoopEnded) {
      connections.forEach(connection -> connection.link.afterLoop(connection.rings));
    }
  }

  /** From now on the consumer does what is left of the loop's work. */
  private void onLoopEnd() {
    hasLoopEnded = true;
    consumer.signal();
  }

  private void afterPoll() {
    if (dispatch.takeArrivals()) {
      takeArrivals();
    }
    removeEnded();
  }

  private void end() {
    dispatch.ringAll();
    dispatch.handler(null);
  }

  private void removeEnded() {
    List<RtQueueConnection> ended = dispatch.ended();
    if (ended.isEmpty()) {
      return;
    }
    for (Iterator<RtQueueConnection> i = ended.iterator(); i.hasNext(); ) {
      RtQueueConnection connection = i.next();
      CompletionQueue left = connection.rings.completions;
      boolean isPolled = left.posted() + left.inbound() == 0; // else the limit has cut it
      if (isPolled && consumer.remove(connection.rings.completions, dispatch)) {
        i.remove();
        dispatch.remove(connection);
        connections.remove(connection);
        connection.onRemoved();
        CloseReason reason = connection.closeReason();
        if (connection.isFinishUntold) {
          dispatch.tell(connection, () -> dispatch.handler().onPeerFinished(connection));
        }
        dispatch.tell(connection, () -> dispatch.handler().onClosed(connection, reason));
      }
    }
  }

  /** Ends the current {@link #await}, or the next one. Any thread. */
  public void signal() {
    consumer.signal();
  }

  // ---- moderation

  /**
   * Sets the delay anew: {@link RtQueueConfig#delay}. A wait whose end is set already is not
   * shortened. Any thread.
   *
   * @throws IllegalArgumentException if it is outside its range
   * @throws IllegalStateException if these queues tune themselves: {@link RtQueueConfig#selfTuning}
   */
  public void delay(Duration delay) {
    long delayNs = RtQueueConfig.checkedDelayNs(delay);
    if (config.controls().selfTuning()) {
      throw new IllegalStateException("delay=" + delay + ", valid: without selfTuning");
    }
    for (LoopQueue queue : queues) {
      try {
        queue.loop.execute(() -> queue.delayNs(delayNs));
      } catch (RejectedExecutionException e) {
        // The loop has ended: nobody waits for it.
      }
    }
  }

  /**
   * Returns a count of all event loops. A count that changes meanwhile may be some behind. Any
   * thread.
   */
  public long count(RtQueueCounter counter) {
    long sum = 0;
    for (LoopQueue queue : queues) {
      sum += queue.events.count(counter.counter);
    }
    return sum;
  }

  /** Returns how many entries and events were ever stored, for tests. The consumer. */
  long storedCount() {
    return consumer.storedCount();
  }

  // ---- the end

  private void checkOpen(String verb) {
    parker.checkThread(verb);
    if (isClosed) {
      throw new IllegalStateException(verb + " after the close, valid: before it");
    }
  }

  /**
   * Closes listeners and connections, and waits until these have ended. What was posted leaves
   * first, for some seconds at most. Entries that were not polled are dropped: who needs them
   * closes its connections and polls until {@link RtQueueHandler#onClosed}. The consumer, or any
   * thread if none has polled.
   */
  @Override
  public void close() {
    parker.checkThread("close");
    checkOutside("close");
    if (isClosed) {
      return;
    }
    isClosed = true;
    listeners.close().awaitUninterruptibly();
    closeArrivals();
    connections.forEach(RtQueueConnection::close);
    RtQueueHandler rest = entry -> {};
    long deadlineNs = System.nanoTime() + CLOSE_NS;
    boolean isInterrupted = false;
    while (!connections.isEmpty() && System.nanoTime() - deadlineNs < 0) {
      isInterrupted |= Thread.interrupted(); // else it would not sleep
      await(rest, LIMIT_MAX, Duration.ofMillis(100));
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
    queues.forEach(queue -> queue.loop.terminationFuture().removeListener(onLoopEnd));
    if (config.isOwner()) {
      loops
          .shutdownGracefully(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS)
          .awaitUninterruptibly();
    }
  }
}
