package io.rtransport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.rtransport.core.burst.PacketBurst;
import io.rtransport.core.connection.ApplicationVerbs;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.parameter.AgreedParameters;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.stats.Counters;
import io.rtransport.netty.handler.RtTap;
import io.rtransport.netty.handler.SolicitationHandler;
import io.rtransport.netty.handler.SublayerPipeline;
import io.rtransport.netty.handler.WindowHandler;
import io.rtransport.netty.handler.WireHandler;
import io.rtransport.netty.internal.loop.Doubtful;
import io.rtransport.netty.internal.loop.LinkApplication;
import io.rtransport.netty.internal.loop.LinkApplications;
import io.rtransport.netty.internal.loop.LoopBuffers;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.PeerAddresses;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.internal.write.Writability;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * RT channel: connects Netty's verbs and events to the connection. {@link WriteQueue} keeps the
 * writes, {@link ReadLoop} the reads, and {@link PipelineLink} drives the connection.
 *
 * <p>Threads: every public method of {@link RtChannel} may be called on any thread, as for any
 * Netty channel.
 */
final class DefaultRtChannel extends ClosableChannel
    implements ConfigTarget, SublayerPipeline, Doubtful, PeerAddresses {
  /**
   * Metadata with more messages in a batch than one read of the port brings, the shortest ones
   * excepted. Messages beyond that number wait in a queue, as records.
   */
  private static final ChannelMetadata METADATA = new ChannelMetadata(false, 4_096);

  private final RtChannelConfig config;
  private final PortFactory ports;
  private final Writability writability;
  private final WriteQueue writes;
  private final ReadLoop reading;
  private List<RtTap> taps = List.of();
  private Runnable peerChanged; // null: nobody asks for the peer's addresses
  private final InboundStages stages = new InboundStages();
  private final WindowHandler windowHandler = new WindowHandler(stages);
  private RegisteringUnsafe
      registeringUnsafe; // set by the superclass's constructor: no initializer
  private LoopDriver driver;
  private RtPort port;
  private PipelineLink link;
  private ConnectAttempt connecting; // until it is connected; an accepted channel has none
  private long messagesWritten;
  private volatile boolean isActive;

  /** Makes a channel that will connect. */
  DefaultRtChannel(PortFactory ports) {
    this(null, ports, null);
  }

  /**
   * Makes a channel for a connection that {@code server} accepts; null if the server has closed
   * meanwhile.
   */
  DefaultRtChannel(RtServerChannel server, LoopDriver driver, RtPort port, Connection connection) {
    this(server, null, connection.config());
    this.driver = driver;
    this.port = port;
    link = newLink(connection, List.of(port), null);
  }

  private DefaultRtChannel(Channel parent, PortFactory ports, ConnectionConfig accepted) {
    super(parent);
    this.ports = ports;
    this.config = new RtChannelConfig(this, accepted);
    this.writability = new Writability(this, unsafe().outboundBuffer());
    this.writes = new WriteQueue(this, writability);
    TransactionHandler transactionHandler = new TransactionHandler(this, stages);
    this.reading = new ReadLoop(this, transactionHandler, writes);
    pipeline()
        .addLast(WireHandler.NAME, new WireHandler(stages))
        .addLast(WindowHandler.NAME, windowHandler)
        .addLast(SolicitationHandler.NAME, new SolicitationHandler(stages))
        .addLast(TransactionHandler.NAME, transactionHandler);
  }

  private PipelineLink newLink(
      Connection connection, List<RtPort> all, Function<InetSocketAddress, RtPort> opener) {
    RtSocketConfig source = parent() == null ? config : parent().config();
    LinkApplications makers = source.linkApplications();
    LinkApplication application = makers == null ? null : makers.of(this, connection);
    return new PipelineLink(
        this, stages, writes, reading, driver, all, connection, opener, application);
  }

  /** Sets the loop and port that the channel sends from, before there is a connection. */
  void use(LoopDriver newDriver, RtPort newPort) {
    driver = newDriver;
    port = newPort;
  }

  /**
   * Takes {@code connection}, whose handshake begins.
   *
   * @param all the ports of its interfaces, in their order; the first is the channel's
   * @param opener opens a port to an address that the peer tells; null: none is opened
   */
  void begin(Connection connection, List<RtPort> all, Function<InetSocketAddress, RtPort> opener) {
    link = newLink(connection, all, opener);
    link.pipe();
    driver.add(link);
  }

  // ---- for every caller

  @Override
  public RtChannelConfig config() {
    return config;
  }

  @Override
  public ChannelMetadata metadata() {
    return METADATA;
  }

  /**
   * Returns the event loop of the channel's connection. An accepted channel has it from the
   * beginning, so that it can be closed before it is registered.
   */
  @Override
  public EventLoop eventLoop() {
    LoopDriver own = driver;
    return own == null ? super.eventLoop() : own.loop();
  }

  @Override
  public boolean isActive() {
    return isActive;
  }

  @Override
  public AgreedParameters agreed() {
    return isActive || !isOpen() ? link == null ? null : link.connection().agreed() : null;
  }

  @Override
  public Future<RtChannelStats> stats() {
    return new StatsReading(this).read();
  }

  @Override
  public boolean isInDoubt() {
    return link != null && link.connection().isInDoubt(driver.nowNs());
  }

  // ---- changes of options, on any thread

  @Override
  public void onSet(Consumer<ApplicationVerbs> change) {
    onLinkIfAny(() -> change.accept(verbs()));
  }

  @Override
  public void onReadingSet() {
    onLinkIfAny(() -> link.declare());
  }

  private void onLinkIfAny(Runnable change) {
    if (config.isAccepted() || isRegistered()) { // nothing can have begun before
      onLoopIfAny(
          () -> {
            if (link != null) {
              change.run();
            }
          });
    }
  }

  @Override
  public void clearRead() {
    if (driver != null || isRegistered()) { // nobody can have asked for a read before
      onLoopIfAny(reading::clearRead);
    }
  }

  @Override
  public void onTrafficClass(int value) {
    if (config.isAccepted() || isRegistered()) {
      onLoopIfAny(
          () -> {
            if (port != null && ports != null && !ports.isShared() && !port.isClosed()) {
              port.trafficClass(value);
            }
          });
    }
  }

  // ---- calls of the handlers

  @Override
  public void onWrite(Object message, ChannelPromise promise) {
    if (!takesWrites()) {
      ClosedChannelException closed = closedException();
      if (message instanceof Pull pull) {
        pull.refused(closed);
      }
      ReferenceCountUtil.release(message);
      if (!promise.isVoid()) { // as in Netty's own channels, a void promise is not told
        promise.tryFailure(closed);
      }
      return;
    }
    messagesWritten++;
    WatchedWrites.onWrite(this, message, promise);
    writes.add(message, promise);
  }

  @Override
  public void onFlush() {
    if (isStopped()) {
      return; // flushed writes drain; the others have failed
    }
    writes.addFlush();
    if (isActive) {
      link.pumpDue();
    } else if (!config.isFastOpenConnect()) {
      writes.failQueued(new NotYetConnectedException());
    }
  }

  @Override
  public void transmit(PacketBurst burst) {
    for (int i = 0; i < taps.size(); i++) {
      taps.get(i).tell(burst);
    }
    windowHandler.transmit(burst);
  }

  @Override
  public void addTap(RtTap tap) {
    taps = taps.isEmpty() ? new ArrayList<>() : taps;
    taps.add(tap);
  }

  @Override
  public void removeTap(RtTap tap) {
    if (!taps.isEmpty()) {
      taps.remove(tap);
    }
  }

  @Override
  public void runTurn(Runnable action) {
    if (driver != null) {
      driver.inTurn(action);
    }
  }

  @Override
  public void receive(ChannelHandlerContext from, PacketBurst burst) {
    if (link == null) {
      return;
    }
    if (link.isReceiving()) {
      throw new IllegalStateException(
          "a burst is on its way up, valid: SublayerPipeline.receive in a task of the event loop");
    }
    driver.inTurn(() -> link.receiveBurst(from, burst));
  }

  // ---- calls of the channel's parts

  @Override
  public boolean onBatchEnd() {
    return reading.endBatch();
  }

  @Override
  public ApplicationVerbs verbs() {
    return link == null ? null : link.connection().verbs();
  }

  @Override
  public Counters counters() {
    return link == null ? null : link.connection().counters();
  }

  @Override
  public Executor fileExecutor() {
    return config.fileExecutor();
  }

  @Override
  LoopBuffers buffers() {
    return driver.buffers();
  }

  @Override
  WriteQueue writes() {
    return writes;
  }

  @Override
  ReadLoop reading() {
    return reading;
  }

  @Override
  PipelineLink link() {
    return link;
  }

  LoopDriver driver() {
    return driver;
  }

  @Override
  RtPort port() {
    return port;
  }

  @Override
  ConnectAttempt connecting() {
    return connecting;
  }

  long messagesWritten() {
    return messagesWritten;
  }

  @Override
  void onLoop(Runnable action) {
    EventLoop loop = eventLoop();
    if (loop.inEventLoop() && (link == null || !link.isTransmitting())) {
      action.run();
      if (link != null) {
        link.pumpDue();
      }
    } else {
      loop.execute(() -> onLoop(action));
    }
  }

  // ---- calls of the link

  @Override
  public void onEstablished() {
    if (parent() != null) {
      isActive = true;
      ((PortOwner) parent()).accept(this);
    } else if (isConnecting()) {
      link.activationDue();
    }
  }

  @Override
  @SuppressWarnings(
      "deprecation") // the only way to forget the wildcard address that a bind had left
  public void activate() {
    if (!isConnecting() || !isOpen()) {
      return;
    }
    isActive = true;
    invalidateLocalAddress();
    ConnectAttempt attempt = connecting;
    connecting = null;
    if (writes.hasFlushed()) {
      link.pumpDue();
    }
    boolean isWanted = attempt.succeed();
    pipeline().fireChannelActive();
    if (!isWanted) {
      close();
    }
  }

  @Override
  void deactivate() {
    isActive = false;
  }

  @Override
  @SuppressWarnings("deprecation") // the only way to forget the old address
  public void onPort(RtPort newPort) {
    port = newPort;
    invalidateLocalAddress();
  }

  @Override
  @SuppressWarnings("deprecation") // the only way to forget the old address
  public void onMoved() {
    invalidateRemoteAddress();
  }

  // ---- the peer's addresses

  @Override
  public List<InetSocketAddress> toldAddresses() {
    return link == null ? List.of() : link.connection().toldAddresses();
  }

  @Override
  public List<InetSocketAddress> openAddresses() {
    return link == null ? List.of() : link.ports().remotes();
  }

  @Override
  public List<InetAddress> ownAddresses() {
    return link == null ? List.of() : link.ports().locals();
  }

  @Override
  public void onAddressChange(Runnable action) {
    Runnable before = peerChanged;
    peerChanged =
        before == null
            ? action
            : () -> {
              before.run();
              action.run();
            };
  }

  @Override
  public void onPeerChanged() {
    if (peerChanged != null) {
      peerChanged.run();
    }
  }

  // ---- methods of AbstractChannel

  @Override
  protected DefaultChannelPipeline newChannelPipeline() {
    return new RtPipeline(this);
  }

  @Override
  Writability writability() {
    return writability;
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new ConnectingUnsafe();
  }

  @Override
  public Unsafe unsafe() {
    if (registeringUnsafe == null) {
      registeringUnsafe = new RegisteringUnsafe(this, super.unsafe());
    }
    return registeringUnsafe;
  }

  @Override
  boolean isInClose() {
    return registeringUnsafe.isInClose();
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true; // the port's socket reports an unsuitable loop
  }

  @Override
  protected SocketAddress localAddress0() {
    return port == null ? null : port.localAddress();
  }

  @Override
  protected SocketAddress remoteAddress0() {
    return isActive ? link.connection().remote() : null;
  }

  @Override
  protected void doBind(SocketAddress local) throws Exception {
    if (port != null) {
      throw new AlreadyBoundException();
    }
    LoopDriver mine = LoopDrivers.of(eventLoop());
    use(mine, ports.open(mine, config.portConfig(), (InetSocketAddress) local, null));
  }

  @Override
  protected void doBeginRead() {
    reading.beginRead();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    throw new UnsupportedOperationException("writes end at " + TransactionHandler.NAME);
  }

  /** Connects and closes the channel. */
  private final class ConnectingUnsafe extends AbstractUnsafe {
    @Override
    protected Executor prepareToClose() {
      return lingering();
    }

    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      if (promise.isDone() || !ensureOpen(promise)) {
        return;
      }
      connecting = connecting == null ? new ConnectAttempt(DefaultRtChannel.this) : connecting;
      try {
        connecting.open(ports, (InetSocketAddress) remote, (InetSocketAddress) local);
      } catch (Exception e) {
        promise.tryFailure(annotateConnectException(e, remote));
        closeIfClosed();
        return;
      }
      connecting.begin(promise);
    }
  }
}
