package io.rtransport.loadgen.transceiver;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.workload.IntegrityCounts;
import io.rtransport.loadgen.workload.MessageContents;
import io.rtransport.loadgen.workload.Session;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.RtRail;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.queue.RtQueueConfig;
import io.rtransport.netty.queue.RtQueueConnection;
import io.rtransport.netty.queue.RtQueueCounter;
import io.rtransport.netty.queue.RtQueues;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * RT through its queues. One thread of each side is the consumer. It posts the workload's messages
 * and polls what became of them: an event loop whose I/O is a poll ({@link QueueIoHandler}). RT's
 * own event loops are beside it, as many as the run has threads, and connections are spread over
 * them.
 */
final class QueueTransceiver implements Transceiver {
  /** Prefix of the details that are counted from the start of the measured time. */
  private static final String COUNTED = "queue.";

  /** Memory of each kind for all connections of a side together. */
  private static final int RING_BYTES = 64 << 20;

  private static final int RING_BYTES_MIN = 8 << 10;
  private static final int RING_BYTES_MAX = 1 << 20;

  /** Bytes of long messages that a connection posts before the first has ended. */
  private static final int POSTED_BYTES = 8 << 20;

  private static final int POSTED_MIN = 16;
  private static final int POSTED_MAX = 1 << 12;

  /** Most connections of an event loop. */
  private static final int CONNECTIONS_MAX = 1 << 12;

  private static final int MESSAGE_BYTES_MIN = 16 << 20;

  private final TransceiverSettings settings;
  private final Ledger ledger = new Ledger();
  private final RtChannelCounts counts = new RtChannelCounts();
  private final ReceiverFaults receiverFaults;
  private final QueueConsumer consumer = new QueueConsumer();
  private final QueueMessages messages;
  private EventLoopGroup below;
  private EventLoop loop;
  private RtQueues queues;

  /** Rails of connections beside the first. */
  private volatile List<RtRail> rails = List.of();

  QueueTransceiver(TransceiverSettings settings) {
    this.settings = settings;
    messages =
        new QueueMessages(new MessageContents(settings.seed(), settings.sizes().sizeBytesMax()));
    Impairment impairment = settings.receiverImpairment();
    receiverFaults = impairment == null ? null : new ReceiverFaults(impairment, settings.seed());
    RtOptions.raiseBudget(settings);
  }

  @Override
  public EventLoopGroup loops(int threads) {
    below = Sockets.loops(settings, threads);
    queues = RtQueues.open(config(threads));
    long pollNs = settings.busyPoll() ? QueueIoHandler.NEVER_NS : settings.pollNs();
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory(Sockets.LOOP_THREAD_PREFIX + "-consumer", true),
            QueueIoHandler.newFactory(queues, consumer, pollNs));
    loop = group.next();
    return group;
  }

  private RtQueueConfig config(int threads) {
    int ringBytes =
        clamp(
            Integer.highestOneBit(RING_BYTES / settings.connections()),
            RING_BYTES_MIN,
            RING_BYTES_MAX);
    int byLength = clamp(POSTED_BYTES / settings.sizes().sizeBytesMax(), POSTED_MIN, POSTED_MAX);
    int postedMax = Math.min(byLength, ringBytes / (RING_BYTES_MAX / POSTED_MAX));
    QueueSettings queue = settings.queue();
    return RtQueueConfig.defaults()
        .group(below, settings.io()::newSocket)
        .delay(Duration.ofNanos(queue.isSelfTuning() ? 0 : queue.delayNs()))
        .wakeAtOnce(queue.wakeAtOnce())
        .selfTuning(queue.isSelfTuning())
        .connectionsMax(Math.min(CONNECTIONS_MAX, settings.connections()))
        .postedMax(postedMax)
        .inboundMax(postedMax)
        .submissionBytes(ringBytes)
        .inboundBytes(ringBytes)
        .messageBytesMax(Math.max(MESSAGE_BYTES_MIN, settings.sizes().sizeBytesMax()))
        .channels(this::prepare)
        .listeners(channel -> prepare(channel, threads));
  }

  private static int clamp(int value, int min, int max) {
    return Math.max(min, Math.min(max, value));
  }

  private void prepare(RtChannel channel) {
    if (channel.parent() == null) {
      RtOptions.apply(settings, channel.config()::setOption);
      channel
          .config()
          .setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, RtOptions.CONNECT_TIMEOUT_MILLIS);
      channel.config().setOption(RtChannelOption.RAILS, rails);
      counts.addConnected(channel);
    } else {
      counts.addSharing(channel);
    }
    if (receiverFaults != null) {
      receiverFaults.addTo(channel);
    }
  }

  private void prepare(RtServerChannel channel, int threads) {
    RtOptions.apply(settings, channel.config()::setOption);
    channel.config().setOption(RtChannelOption.RECEIVE_LOOPS, threads);
  }

  @Override
  public List<InetSocketAddress> listen(EventLoopGroup group, InetSocketAddress at)
      throws Exception {
    loop.submit(() -> consumer.arrivals(this::serve)).get();
    return List.of(queues.listen(at).localAddress());
  }

  private QueuePeer serve(RtQueueConnection accepted) {
    return new QueueServed(accepted, settings, messages, ledger.open(loop));
  }

  @Override
  public Future<Session> connect(
      EventLoop loop, List<InetSocketAddress> targets, int connection, Session.Listener listener) {
    rails = targets.subList(1, targets.size()).stream().map(RtRail::to).toList();
    Promise<Session> connected = loop.newPromise();
    QueueSession session =
        new QueueSession(settings, messages, ledger.open(loop), listener, connected);
    loop.execute(
        () -> {
          try {
            RtQueueConnection begun = queues.connect(targets.get(0));
            session.attach(begun);
            consumer.add(begun, session);
          } catch (RuntimeException e) {
            connected.tryFailure(e);
          }
        });
    return connected;
  }

  @Override
  public IntegrityCounts received() throws Exception {
    return ledger.received();
  }

  @Override
  public TransferCounts transferCounts() throws Exception {
    return counts.transferCounts();
  }

  @Override
  public Map<String, Object> details() throws Exception {
    Map<String, Object> details = counts.details(RtOptions.isSegmenting(settings));
    if (receiverFaults != null) {
      details.put("impairmentCounts", receiverFaults.counts());
    }
    details.put("railHealth", RtOptions.railHealths());
    details.put(COUNTED + "wakeUps", queues.count(RtQueueCounter.WAKE_UPS));
    details.put(COUNTED + "interruptsDue", queues.count(RtQueueCounter.INTERRUPTS_DUE));
    details.put(COUNTED + "suppressed", queues.count(RtQueueCounter.SUPPRESSED));
    details.put(COUNTED + "refused", loop.submit(messages::refused).get());
    return details;
  }

  /** Ends the consumer's connections on its own loop, then the loops below. */
  @Override
  public void close() throws Exception {
    loop.submit(queues::close).await(1, TimeUnit.SECONDS);
    counts.close();
    below.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
