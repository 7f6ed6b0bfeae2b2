package io.rtransport.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.ObjectUtil;
import io.rtransport.core.adp.AdpParameters;
import io.rtransport.core.adp.AdpSelection;
import io.rtransport.core.adp.NodeRegister;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.CounterId;
import io.rtransport.netty.internal.io.DelegatingUnsafe;
import io.rtransport.netty.internal.loop.LoopCounters;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopLink;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.internal.server.ServerPorts;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * RT server channel: connects Netty's verbs and events to its parts. {@link ServerPorts} keeps its
 * sockets, and {@link AcceptQueue} the connections that nobody has read.
 */
final class DefaultRtServerChannel extends AbstractServerChannel
    implements RtServerChannel, PortOwner {
  private final RtServerChannelConfig config = new RtServerChannelConfig(this, this::clearRead);
  private final ServerPorts ports;
  private final AcceptQueue acceptQueue = new AcceptQueue(this);
  private ServingUnsafe servingUnsafe; // set by the superclass's constructor: no initializer
  private Throwable unhandled;
  private final AtomicReference<Offer> offer = new AtomicReference<>(); // null before the bind
  private volatile List<InetSocketAddress> localAddresses = List.of();

  /**
   * The parameters registered with the node's register, while this channel follows it. On the
   * channel's loop.
   */
  private AdpParameters following;

  private volatile boolean isReadPending;

  /** Addresses that are being joined. */
  private final Set<InetSocketAddress> joining = new HashSet<>();

  private volatile boolean isBound;
  private volatile boolean isClosing;
  private volatile boolean isClosed;

  DefaultRtServerChannel(PortFactory ports) {
    this.ports = new ServerPorts(this, ports);
  }

  @Override
  public RtServerChannelConfig config() {
    return config;
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public boolean isActive() {
    return isBound && !isClosing && !isClosed;
  }

  @Override
  public InetSocketAddress localAddress() {
    return (InetSocketAddress) super.localAddress();
  }

  @Override
  public List<InetSocketAddress> localAddresses() {
    return localAddresses;
  }

  /** Returns null: a server channel has no peer. */
  @Override
  public InetSocketAddress remoteAddress() {
    return null;
  }

  @Override
  public Future<Map<CounterId, Long>> loopCounters() {
    return LoopCounters.of(eventLoop(), ports::drivers);
  }

  @Override
  public ConnectionConfig handshake() {
    Offer known = offer.get();
    AdpSelection selection = Nodes.registerOf(eventLoop()).selection();
    if (known.selection() == selection) {
      return known.whole();
    }
    Offer next = new Offer(known.own(), selection, known.own().following(selection));
    offer.compareAndSet(known, next); // if not, another loop or leave() was first
    return next.whole();
  }

  @Override
  public Member member(int cid) {
    return ports.member(cid);
  }

  @Override
  public LoopLink adopt(Connection connection, LoopDriver driver, RtPort port, boolean isAccepted) {
    if (!isAccepted) {
      return new DefaultRtChannel(null, driver, port, connection).link();
    }
    PipelineLink link = new DefaultRtChannel(this, driver, port, connection).link();
    tellChanges(link, connection.config().nids());
    return link;
  }

  /** Tells a peer which addresses have come and gone during its set-up. */
  void tellChanges(PipelineLink link, List<Nid> told) {
    List<InetSocketAddress> now = localAddresses;
    for (InetSocketAddress address : now.subList(1, now.size())) {
      if (!told.contains(nidOf(address))) {
        link.portEvents().onAddressJoined(this, ports.numberOf(address), nidOf(address));
      }
    }
    for (Nid nid : told) {
      if (!now.contains(nid.address())) {
        link.portEvents().onAddressLeft(this, ports.numberOf(nid.address()), nid);
      }
    }
  }

  @Override
  public void accept(Channel child) {
    acceptQueue.add((DefaultRtChannel) child);
  }

  /**
   * Gives {@code child} to the pipeline.
   *
   * @return an exception of a handler that none caught; null if the child was taken
   */
  Throwable fireAccepted(DefaultRtChannel child) {
    isReadPending = false;
    unhandled = null;
    try {
      pipeline().fireChannelRead(child);
    } catch (RuntimeException
        | Error e) { // of an executor that takes no tasks; a handler's is caught
      pipeline().fireExceptionCaught(e);
    }
    Throwable failure = unhandled;
    unhandled = null;
    try {
      pipeline().fireChannelReadComplete();
    } catch (RuntimeException | Error e) {
      pipeline().fireExceptionCaught(e);
    }
    return failure;
  }

  /** Returns whether the application has asked for a connection and not got it yet. */
  boolean isReadPending() {
    return isReadPending;
  }

  @Override
  public boolean hasRoom() {
    return acceptQueue.hasRoom();
  }

  /** Forgets the pending read: {@code autoRead} was switched off. Any thread. */
  void clearRead() {
    isReadPending = false;
  }

  @Override
  public void onPortClosed() {
    if (isActive()) {
      close();
    }
  }

  @Override
  protected boolean isCompatible(EventLoop loop) {
    return true; // the port's socket reports an unsuitable loop
  }

  @Override
  protected SocketAddress localAddress0() {
    RtPort port = ports.first();
    return port == null ? null : port.localAddress();
  }

  @Override
  protected void doBind(SocketAddress local) throws Exception {
    if (ports.first() == null) {
      open(local);
    }
    localAddresses = ports.localAddresses();
    isBound = true;
  }

  private void open(SocketAddress local) throws Exception {
    ConnectionConfig own = config.connectionConfig();
    NodeRegister register = Nodes.registerOf(eventLoop());
    if (!own.isAdpProfileSet()) {
      unfollow();
      register.follow(own.adpParameters());
      following = own.adpParameters();
    }
    // Set before the port may receive a peer's packet, and again once fitted to the port.
    AdpSelection selection = register.selection();
    offer.set(new Offer(own, selection, own.following(selection)));
    ports.openFirst(config.addresses((InetSocketAddress) local), config.portConfig());
    ConnectionConfig fitted = telling(ports.first().fitted(own), ports.localAddresses());
    offer.set(new Offer(fitted, selection, fitted.following(selection)));
  }

  /** Returns {@code own} with the addresses that initiators are told, if there are several. */
  private static ConnectionConfig telling(ConnectionConfig own, List<InetSocketAddress> bound) {
    List<Nid> nids =
        bound.size() == 1 ? List.of() : bound.stream().map(DefaultRtServerChannel::nidOf).toList();
    return own.nids().equals(nids) ? own : own.toBuilder().nids(nids).build();
  }

  private static Nid nidOf(InetSocketAddress address) {
    return new Nid(address, ""); // channels have no names of networks
  }

  @Override
  public Future<InetSocketAddress> join(InetSocketAddress address) {
    ObjectUtil.checkNotNull(address, "address");
    Promise<InetSocketAddress> promise = eventLoop().newPromise();
    promise.setUncancellable();
    try {
      eventLoop().execute(() -> join(address, promise));
    } catch (RejectedExecutionException e) {
      promise.tryFailure(e);
    }
    return promise;
  }

  private void join(InetSocketAddress address, Promise<InetSocketAddress> promise) {
    if (!isActive()) {
      promise.tryFailure(new ClosedChannelException());
      return;
    }
    try {
      RtServerChannelConfig.checkJoining(address, localAddresses, joining);
    } catch (IllegalArgumentException e) {
      promise.tryFailure(e);
      return;
    }
    joining.add(address);
    ports.join(
        address,
        (bound, failure) -> {
          joining.remove(address);
          if (failure != null) {
            promise.tryFailure(failure);
          } else {
            onJoined(bound);
            promise.trySuccess(bound);
          }
        });
  }

  private void onJoined(InetSocketAddress bound) {
    List<InetSocketAddress> all = new ArrayList<>(localAddresses);
    all.add(bound);
    listenAt(all);
    ports.tell(ports.numberOf(bound), nidOf(bound));
  }

  /** Tells these addresses to connections from now on. */
  private void listenAt(List<InetSocketAddress> all) {
    localAddresses = List.copyOf(all);
    offer.updateAndGet(
        known -> {
          ConnectionConfig own = telling(known.own(), all);
          return new Offer(own, known.selection(), own.following(known.selection()));
        });
  }

  @Override
  public Future<Void> leave(InetSocketAddress address) {
    Promise<Void> promise = eventLoop().newPromise();
    promise.setUncancellable();
    try {
      eventLoop().execute(() -> leave(address, promise));
    } catch (RejectedExecutionException e) {
      promise.tryFailure(e);
    }
    return promise;
  }

  private void leave(InetSocketAddress address, Promise<Void> promise) {
    List<InetSocketAddress> left = new ArrayList<>(localAddresses);
    int ni = ports.numberOf(address);
    if (!isActive()) {
      promise.tryFailure(new ClosedChannelException());
    } else if (ni <= 0 || !left.remove(address)) {
      List<InetSocketAddress> valid = left.subList(1, left.size());
      String which = valid.isEmpty() ? "none, as that of bind alone is left" : "one of " + valid;
      promise.tryFailure(new IllegalArgumentException("address=" + address + ", valid: " + which));
    } else {
      listenAt(left);
      ports.leave(ni, nidOf(address));
      promise.trySuccess(null);
    }
  }

  private void unfollow() {
    if (following != null) {
      Nodes.registerOf(eventLoop()).unfollow(following);
      following = null;
    }
  }

  @Override
  protected void doClose() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    unfollow();
    ports.close(() -> {});
    acceptQueue.close();
  }

  @Override
  protected void doBeginRead() {
    isReadPending = true;
    acceptQueue.onRead();
  }

  @Override
  protected void doWrite(ChannelOutboundBuffer in) {
    throw new UnsupportedOperationException("a server channel is not written to");
  }

  @Override
  protected DefaultChannelPipeline newChannelPipeline() {
    return new AcceptingPipeline();
  }

  @Override
  protected AbstractUnsafe newUnsafe() {
    return new ClosingUnsafe();
  }

  @Override
  public Unsafe unsafe() {
    if (servingUnsafe == null) {
      servingUnsafe = new ServingUnsafe(super.unsafe());
    }
    return servingUnsafe;
  }

  /**
   * Offer of the server channel.
   *
   * @param own the configured values
   * @param selection of the node's register when {@code whole} was made
   * @param whole {@code own}, completed by {@code selection}
   */
  private record Offer(ConnectionConfig own, AdpSelection selection, ConnectionConfig whole) {}

  /** Pipeline that notices when no handler has taken a child. */
  private final class AcceptingPipeline extends DefaultChannelPipeline {
    AcceptingPipeline() {
      super(DefaultRtServerChannel.this);
    }

    @Override
    protected void onUnhandledInboundException(Throwable cause) {
      if (eventLoop().inEventLoop()) { // the last handler may have its own executor
        unhandled = cause;
      }
      super.onUnhandledInboundException(cause);
    }

    @Override
    protected void onUnhandledInboundMessage(ChannelHandlerContext ctx, Object message) {
      if (message instanceof DefaultRtChannel child
          && child.parent() == DefaultRtServerChannel.this) {
        child.onLoopIfAny(child.link().arrival()::onUntaken);
      }
      super.onUnhandledInboundMessage(ctx, message);
    }
  }

  /** Binds on several loops before the channel is bound. */
  private final class ServingUnsafe extends DelegatingUnsafe {
    private boolean isBinding;

    ServingUnsafe(Unsafe delegate) {
      super(delegate);
    }

    @Override
    public void bind(SocketAddress local, ChannelPromise promise) {
      if (isBinding || isBound) {
        promise.tryFailure(new AlreadyBoundException());
        return;
      }
      if (!promise.setUncancellable()) {
        return;
      }
      int loops = config.receiveLoops();
      if (loops == 1 || isClosed) {
        super.bind(local, promise);
        return;
      }
      try {
        open(local);
      } catch (Exception e) {
        promise.tryFailure(e);
        return;
      }
      isBinding = true;
      ports.openOthers(loops, config.portConfig(), failure -> onOpened(local, promise, failure));
    }

    private void onOpened(SocketAddress local, ChannelPromise promise, Exception failure) {
      isBinding = false;
      if (failure == null) {
        super.bind(local, promise);
      } else {
        promise.tryFailure(failure);
        close(voidPromise()); // with the ports that were opened
      }
    }
  }

  /** Makes a close wait until the other loops have given their ports up. */
  private final class ClosingUnsafe extends AbstractUnsafe {
    @Override
    protected Executor prepareToClose() {
      isClosing = true;
      return ports.drivers().size() <= 1 ? null : ports::close;
    }

    @Override
    public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
      promise.tryFailure(new UnsupportedOperationException("a server channel does not connect"));
    }
  }
}
