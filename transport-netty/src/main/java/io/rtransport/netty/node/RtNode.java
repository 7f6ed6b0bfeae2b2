package io.rtransport.netty.node;

import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.node.MessageKind;
import io.rtransport.core.node.NodeHeader;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.HealthParameter;
import io.rtransport.core.rail.NiSelection;
import io.rtransport.core.rail.RailHealth;
import io.rtransport.core.solicitation.NodeBudget;
import io.rtransport.core.stats.Limits;
import io.rtransport.core.stats.PeerStats;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import io.rtransport.netty.facade.RtListener;
import io.rtransport.netty.internal.file.FileBlocks;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.stat.NodeReport;
import io.rtransport.netty.internal.stat.OpenParts;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A node: it puts messages to other nodes and gets from them, by name. Where a connection ends, the
 * node makes a new one, and sends again what was not answered. The peer executes each message once
 * all the same.
 *
 * <pre>{@code
 * RtNode beta = RtNode.open(NodeConfig.named("beta").listen(address).target(application));
 * RtNode alpha = RtNode.open(NodeConfig.named("alpha").peer("beta", address, otherAddress));
 * alpha.put("beta", bytes, header).join();             // beta's node has it
 * alpha.putAcknowledged("beta", bytes, header).join(); // beta's application has taken it
 * byte[] answer = alpha.get("beta", header, 1_000).join();
 * }</pre>
 *
 * <p>The future of a message ends exactly once, with a {@link NodeException} if it fails. Its
 * {@link NodeException#status} says whether the message was executed. The knobs {@link
 * HealthParameter#RETRY_COUNT}, {@link HealthParameter#RESEND_INTERVAL_MILLIS} and {@link
 * HealthParameter#TRANSACTION_TIMEOUT_MILLIS} of the process hold. Attempts to connect count
 * against nothing but the message's time.
 *
 * <p>The static methods are about what all nodes and channels of this JVM share, or all channels of
 * one event loop group. They work without a node too.
 *
 * <p>Every method but {@link #open} and {@link #close} may be called on any thread and returns at
 * once.
 */
public final class RtNode implements AutoCloseable {
  /** Bytes of the longest header of an application; behind routers 2 and both names less. */
  public static final int HEADER_LENGTH_MAX = Limits.HEADER_LENGTH_MAX - NodeHeader.LENGTH;

  /** Bytes of the longest payload, and of the longest answer. */
  public static final int PAYLOAD_LENGTH_MAX = PutSink.LENGTH_MAX;

  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RtNode.class);
  private static final long BUDGET_BYTES_MAX = 1L << 40;
  private static final long QUIET_MILLIS = 50;
  private static final long SHUTDOWN_MILLIS = 5_000;

  private final String name;
  private final long incarnation;
  private final NodeTarget target;
  private final EventLoopGroup loops;
  private final RtEndpoint endpoint;
  private final Inbound inbound;
  private final Forwarding forwarding;
  private final PeerLinks links;
  private final UsedInterfaces used;
  private final InterfaceNews news;
  private final Supplier<NodeReport> reading = this::report;
  private final List<NodeListener> listeners = new ArrayList<>();
  private final List<InetSocketAddress> addresses = new CopyOnWriteArrayList<>();
  private final AtomicBoolean isClosed = new AtomicBoolean();

  private RtNode(NodeConfig config) {
    Ways.Interfaces interfaces =
        new Ways.Interfaces(
            Nodes.RAIL_HEALTH, new NiSelection(Nodes.RAIL_HEALTH::config), Nodes.INTERFACES::look);
    Map<String, List<Ways>> ways = config.ways(interfaces); // checks them, before all is open
    name = config.name();
    target = config.target();
    incarnation = Hello.draw();
    boolean isEpoll = !config.isNio() && Epoll.isAvailable();
    loops =
        new MultiThreadIoEventLoopGroup(
            config.threads(),
            new DefaultThreadFactory("rt-node-" + name),
            isEpoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    endpoint =
        RtEndpoint.builder()
            .handshake(ConnectionConfig.builder().ordered(false).build())
            .group(loops, isEpoll ? EpollDatagramChannel::new : NioDatagramChannel::new)
            .channels(
                channel ->
                    channel
                        .config()
                        .setOption(ChannelOption.CONNECT_TIMEOUT_MILLIS, NodeTimes.connectMillis()))
            .open();
    Context context = new Context();
    forwarding = Forwarding.of(config, interfaces, context, loops.next());
    inbound =
        new Inbound(new Hello(incarnation, 0, name), target, config.untakenBytesMax(), forwarding);
    links = new PeerLinks(context, ways, loops, config.keptBytesMax(), Hello::draw);
    used = new UsedInterfaces(this::addresses, config.peers(), this::onOthersUsed);
    news = new InterfaceNews(Nodes.RAIL_HEALTH, loops.next(), used::of, target);
    try {
      listen(config.listening());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    OpenParts.NODES.add(reading);
    news.open();
  }

  private void onOthersUsed() {
    news.onOthersUsed();
  }

  private void listen(Listening listening) {
    InetSocketAddress[] bound = new InetSocketAddress[listening.count()];
    for (Listening.Group group : listening.groups()) {
      List<Integer> places = group.places();
      List<InetSocketAddress> together = places.stream().map(listening::address).toList();
      RtListener listener =
          endpoint.listen(together.get(0), together.subList(1, together.size()), inbound).join();
      listeners.add(new NodeListener(group.network(), listener));
      for (int i = 0; i < places.size(); i++) {
        bound[places.get(i)] = listener.localAddresses().get(i);
      }
    }
    addresses.addAll(List.of(bound));
  }

  private NodeReport report() {
    return new NodeReport(name, links.stats(), links.learnt());
  }

  /**
   * Returns the addresses that peers have told and that have answered, by the peers' names: the
   * node connects by them, too. At most 16 for each address of ours that messages may be bound to;
   * peers of which none was learnt are absent.
   */
  public Map<String, List<InetSocketAddress>> learntAddresses() {
    return links.learnt();
  }

  /** Returns the bytes of PUTs that are coming, or that the application has, for tests. */
  long untakenBytes() {
    return inbound.untakenBytes();
  }

  /** Returns the messages of this node to each of its peers, by the peers' names. */
  public Map<String, PeerStats> peerStats() {
    return links.stats();
  }

  /** Returns what this node has done as a router; all 0 if it is none. */
  public RouterStats routerStats() {
    return forwarding == null ? new RouterStats(0, 0, 0, 0, 0, 0) : forwarding.stats();
  }

  /**
   * Opens a node and binds its addresses. Blocks until that is done, so not on an event loop.
   *
   * @throws java.util.concurrent.CompletionException over a {@code BindException} if an address is
   *     taken or not ours; then nothing is left open
   */
  public static RtNode open(NodeConfig config) {
    return new RtNode(config);
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns the addresses at which it listens, with the ports that the system chose. */
  public List<InetSocketAddress> addresses() {
    return List.copyOf(addresses);
  }

  /**
   * Listens at one more address, on the network without a name: {@link NodeConfig#listen}. Else as
   * {@link #joinOn}.
   */
  public CompletableFuture<InetSocketAddress> join(InetSocketAddress address) {
    return joinOn("", address);
  }

  /**
   * Listens at one more address, and tells it to the nodes that are connected at the addresses
   * beside which it stands: those of the same network and family that were given first, with a
   * place left of eight.
   *
   * @param network as in {@link NodeConfig#listenOn}
   * @param address of this host, not a wildcard; port 0: the system chooses one
   * @return the address as it is bound. Fails with {@link IllegalArgumentException} if there are no
   *     such addresses (a wildcard is none), and as {@link RtListener#join} does
   */
  public CompletableFuture<InetSocketAddress> joinOn(String network, InetSocketAddress address) {
    for (NodeListener listener : listeners) {
      if (listener.takes(network, address)) {
        return listener
            .at()
            .join(address)
            .whenComplete(
                (bound, failure) -> {
                  if (failure == null) {
                    addresses.add(bound);
                    onOthersUsed();
                  }
                });
      }
    }
    return CompletableFuture.failedFuture(
        new IllegalArgumentException(
            "address=" + address + "@" + network + NodeListener.validToJoin(listeners)));
  }

  /**
   * Gives an address up. The nodes that are connected are told, and use and remember the others.
   *
   * @return done when nothing more is accepted there. Fails with {@link IllegalArgumentException}
   *     if the node does not listen there, or if it is the first of the addresses that are told
   *     together: that one stays as long as the node
   */
  public CompletableFuture<Void> leave(InetSocketAddress address) {
    for (NodeListener listener : listeners) {
      if (listener.mayLeave().contains(address)) {
        return listener
            .at()
            .leave(address)
            .whenComplete(
                (nothing, failure) -> {
                  if (failure == null) {
                    addresses.remove(address);
                  }
                });
      }
    }
    return CompletableFuture.failedFuture(
        new IllegalArgumentException("address=" + address + NodeListener.validToLeave(listeners)));
  }

  // ---- messages

  /**
   * Puts a message. The future is done when the peer's node has it; what becomes of it there is not
   * told.
   *
   * @param payload 0 to {@link #PAYLOAD_LENGTH_MAX} bytes; not copied, so it must not be changed
   *     before the future is done
   * @param header 0 to {@link #HEADER_LENGTH_MAX} bytes; copied
   * @throws IllegalArgumentException if the peer was not named in the configuration, or the header
   *     is too long
   */
  public CompletableFuture<Void> put(String peer, byte[] payload, byte[] header) {
    return put(peer, payload, header, CallOptions.USUAL);
  }

  /** Puts a message as {@link #put(String, byte[], byte[])} does, with options. */
  public CompletableFuture<Void> put(
      String peer, byte[] payload, byte[] header, CallOptions options) {
    checkPayload(payload);
    return submit(peer, MessageKind.PUT, header, payload, 0, options).thenApply(nothing -> null);
  }

  /**
   * Puts a message. The future is done when the peer's application has answered it.
   *
   * @param payload 0 to {@link #PAYLOAD_LENGTH_MAX} bytes; not copied, so it must not be changed
   *     before the future is done
   * @param header 0 to {@link #HEADER_LENGTH_MAX} bytes; copied
   * @throws IllegalArgumentException if the peer was not named in the configuration, or the header
   *     is too long
   */
  public CompletableFuture<Void> putAcknowledged(String peer, byte[] payload, byte[] header) {
    return putAcknowledged(peer, payload, header, CallOptions.USUAL);
  }

  /** Puts as {@link #putAcknowledged(String, byte[], byte[])} does, with options. */
  public CompletableFuture<Void> putAcknowledged(
      String peer, byte[] payload, byte[] header, CallOptions options) {
    checkPayload(payload);
    return submit(peer, MessageKind.PUT_ACK, header, payload, 0, options)
        .thenApply(nothing -> null);
  }

  /**
   * Gets bytes of a peer.
   *
   * @param header says what is wanted: 0 to {@link #HEADER_LENGTH_MAX} bytes; copied
   * @param lengthBytesMax length of the longest answer, 0 to 16 MiB
   * @throws IllegalArgumentException if the peer was not named in the configuration, or a length is
   *     out of range
   */
  public CompletableFuture<byte[]> get(String peer, byte[] header, int lengthBytesMax) {
    return get(peer, header, lengthBytesMax, CallOptions.USUAL);
  }

  /** Gets as {@link #get(String, byte[], int)} does, with options. */
  public CompletableFuture<byte[]> get(
      String peer, byte[] header, int lengthBytesMax, CallOptions options) {
    return submit(peer, MessageKind.GET, header, null, lengthBytesMax, options);
  }

  private static void checkPayload(byte[] payload) {
    if (Objects.requireNonNull(payload, "payload").length > PAYLOAD_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "payload of " + payload.length + " bytes, valid: 0.." + PAYLOAD_LENGTH_MAX);
    }
  }

  private CompletableFuture<byte[]> submit(
      String peer,
      MessageKind kind,
      byte[] header,
      byte[] payload,
      int answerLengthMax,
      CallOptions options) {
    PeerLink link = links.get(peer, options.source());
    if (header.length > link.headerLengthMax()) {
      throw new IllegalArgumentException(
          "header of " + header.length + " bytes, valid: 0.." + link.headerLengthMax());
    }
    if (answerLengthMax < 0 || answerLengthMax > PAYLOAD_LENGTH_MAX) {
      throw new IllegalArgumentException(
          "lengthBytesMax=" + answerLengthMax + ", valid: 0.." + PAYLOAD_LENGTH_MAX);
    }
    return link.submit(
        kind,
        header.clone(),
        payload,
        answerLengthMax,
        options.isRepeatable(),
        options.withinNs(NodeTimes.knobs()));
  }

  // ---- the end

  /**
   * Closes the node. Messages on their way finish first, for some seconds at most; others end at
   * once, with NOT_EXECUTED if they surely were not. Blocks until that is done; on an event loop of
   * the node it does not wait.
   */
  @Override
  public void close() {
    if (isClosed.compareAndSet(false, true)) {
      OpenParts.NODES.remove(reading);
      news.close();
      links.forEach(PeerLink::drain);
      endpoint
          .shutdown()
          .whenComplete(
              (done, failure) -> {
                links.forEach(PeerLink::close);
                if (forwarding != null) { // it forwards until here
                  forwarding.close();
                }
                loops.shutdownGracefully(QUIET_MILLIS, SHUTDOWN_MILLIS, TimeUnit.MILLISECONDS);
              });
    }
    for (EventExecutor loop : loops) {
      if (loop.inEventLoop()) {
        return;
      }
    }
    loops.terminationFuture().syncUninterruptibly();
  }

  @Override
  public String toString() {
    return "RtNode(" + name + ")";
  }

  /** Returns the link to a peer, for tests. */
  PeerLink link(String peer, InetAddress source) {
    return links.get(peer, source);
  }

  private final class Context implements NodeContext {
    @Override
    public String name() {
      return name;
    }

    @Override
    public long incarnation() {
      return incarnation;
    }

    @Override
    public int retries() {
      return (int) NodeTimes.knobs().get(HealthParameter.RETRY_COUNT);
    }

    @Override
    public long resendIntervalNs() {
      return NodeTimes.ns(HealthParameter.RESEND_INTERVAL_MILLIS);
    }

    @Override
    public long withinNsMax() {
      return NodeTimes.ns(HealthParameter.TRANSACTION_TIMEOUT_MAX_MILLIS);
    }

    @Override
    public long attemptNs() {
      return NodeTimes.attemptNs();
    }

    @Override
    public CompletableFuture<RtConnection> connect(PeerConfig peer) {
      PeerConfig.Rail first = peer.first();
      return endpoint
          .connect(first.local(), first.remote(), peer.others(), inbound)
          .whenComplete(
              (made, failure) -> {
                if (failure != null) {
                  peer.sources().forEach(this::lookAt);
                } else {
                  used.watch(peer.name(), made);
                }
              });
    }

    @Override
    public void lookAt(InetAddress ours) {
      Nodes.INTERFACES.look(ours);
    }

    @Override
    public void tell(String peer, boolean isReachable) {
      try {
        if (isReachable) {
          target.onPeerUp(peer);
        } else {
          target.onPeerDown(peer);
        }
      } catch (RuntimeException | Error e) {
        LOGGER.warn("a callback threw over peer {}", peer, e);
      }
    }
  }

  // ---- what the process shares

  /**
   * Returns the ROCE_ACCL register of the node that the event loops of {@code group} form. Channels
   * without a {@link RtChannelOption#PROFILE} take their profile from it, connecting and accepted
   * ones alike. A set of the register holds for connections made after it. The register lives as
   * long as the group.
   *
   * @param group a group that channels run on, or one event loop of it
   */
  public static NodeRegister register(EventLoopGroup group) {
    return Nodes.registerOf(group.next());
  }

  /**
   * Returns the solicitation budget in bytes, 64 MiB at first. The budget bounds the bytes of large
   * messages that all channels together have asked their peers for and the application has not yet
   * taken. A message that is kept whole until it is read may have half of the budget, if {@link
   * RtChannelOption#MAX_BUFFERED_MESSAGE} allows it, and a longer one is refused. A message that
   * goes to an {@link RtSink} needs only the bytes that are granted ahead.
   */
  public static long solicitationBudgetBytes() {
    return budget().capacityBytes();
  }

  /**
   * Raises the solicitation budget, for existing channels too. It cannot be lowered: the peers
   * already send the bytes that were asked for.
   *
   * @param bytes 1 to 1 TiB; less than the present budget changes nothing
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void raiseSolicitationBudget(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException(
          "solicitationBudget=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    budget().raise(bytes);
  }

  /**
   * Returns the credit pool in bytes, 64 MiB at first. All channels together may take this much
   * credit beyond each channel's {@link RtChannelOption#INITIAL_CREDIT}. Credit is what a peer may
   * push unasked. One channel may have up to {@link RtChannelOption#IN_FLIGHT_MAX} of the pool on a
   * long path, and 2 MiB on a short one.
   */
  public static long creditPoolBytes() {
    return Nodes.BUDGETS.credit().capacityBytes();
  }

  /**
   * Raises the credit pool, for existing channels too. It cannot be lowered: a peer that was told
   * of credit may use it.
   *
   * @param bytes 1 to 1 TiB; less than the present pool changes nothing
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void raiseCreditPool(long bytes) {
    if (bytes < 1 || bytes > BUDGET_BYTES_MAX) {
      throw new IllegalArgumentException("creditPool=" + bytes + " must be 1.." + BUDGET_BYTES_MAX);
    }
    Nodes.BUDGETS.credit().raise(bytes);
  }

  /**
   * Returns the bytes of the store of an event loop, 32 MiB by default. The store keeps the packets
   * of all the loop's channels that are not acknowledged. It is direct memory, allocated whole with
   * the loop's first channel. One channel may hold as many bytes as are free beyond the reserve of
   * the others, so half of the store if it is alone.
   */
  public static int storeBytes() {
    return Nodes.storeBytes();
  }

  /**
   * Sets the size of the store for event loops that have had no RT channel yet. Call it before the
   * first bind or connect.
   *
   * @param bytes 2 MiB to 1 GiB; rounded down to whole blocks of 64 KiB
   * @throws IllegalArgumentException if {@code bytes} is out of range
   */
  public static void storeBytes(int bytes) {
    if (bytes < LoopResources.STORE_BYTES_MIN || bytes > LoopResources.STORE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "storeBytes="
              + bytes
              + " must be "
              + LoopResources.STORE_BYTES_MIN
              + ".."
              + LoopResources.STORE_BYTES_MAX);
    }
    Nodes.storeBytes(bytes);
  }

  /**
   * Returns the number of memory blocks that all file transfers of this JVM may use together. A
   * block has 256 KiB. One transfer uses at most 14 blocks.
   */
  public static int fileBlocksMax() {
    return FileBlocks.BLOCKS_MAX;
  }

  /**
   * Returns how many of the {@link #fileBlocksMax} blocks are in use now. Their bytes were read and
   * not yet sent, or received and not yet written.
   */
  public static int fileBlocksUsed() {
    return FileBlocks.SHARED.usedCount();
  }

  /**
   * Returns the number of blocks that transfers made for themselves, beside the shared ones. A
   * transfer makes its own block if it is short or finds no shared block free. A file that is sent
   * has one of up to 64 KiB. A file that is received has up to two of 256 KiB, and up to twelve if
   * bytes were granted to it before the shared blocks ran out.
   */
  public static int fileBlocksOfTransfers() {
    return FileBlocks.SHARED.ownCount();
  }

  /**
   * Returns the health of the interfaces that connections over several networks use: what it is
   * now, and the knobs. All channels of this JVM share it.
   */
  public static RailHealth railHealth() {
    return Nodes.RAIL_HEALTH;
  }

  private static NodeBudget budget() {
    return Nodes.BUDGETS.solicitation();
  }
}
