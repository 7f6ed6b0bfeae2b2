package io.rtransport.netty;

import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.connection.Connection;
import io.rtransport.core.connection.NidUse;
import io.rtransport.core.connection.Pair;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.Nodes;
import io.rtransport.netty.internal.server.EveryAddress;
import io.rtransport.netty.internal.server.HostAddresses;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortError;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnresolvedAddressException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * A channel's attempt to connect, from the first CONNECT to the end of its promise. The promise
 * ends once: by success, failure, a close or its own cancellation. Confined to the event loop.
 */
final class ConnectAttempt {
  private static final InternalLogger LOGGER =
      InternalLoggerFactory.getInstance(ConnectAttempt.class);

  /** Shortest connect timeout that a connection may have. */
  private static final long PART_NS_MIN = TimeUnit.MILLISECONDS.toNanos(100);

  private final DefaultRtChannel channel;
  private final Queue<InetSocketAddress> untried = new ArrayDeque<>();
  private final List<Exception> failures = new ArrayList<>();
  private PortFactory ports;
  private InetSocketAddress local;
  private long beginNs;
  private ChannelPromise promise;

  ConnectAttempt(DefaultRtChannel channel) {
    this.channel = channel;
  }

  boolean isPending() {
    return promise != null;
  }

  /**
   * Makes the connection to {@code remote}, from {@code local} or an address that the system
   * chooses.
   *
   * @throws Exception if no connection can be made: an address that is not available, or options
   *     that contradict each other
   */
  void open(PortFactory ports, InetSocketAddress remote, InetSocketAddress local) throws Exception {
    if (isPending()) {
      throw new ConnectionPendingException();
    }
    if (channel.isActive()) {
      throw new AlreadyConnectedException();
    }
    if (remote.isUnresolved()) {
      throw new UnresolvedAddressException();
    }
    this.ports = ports;
    this.local = local;
    untried.clear();
    failures.clear();
    if (remote instanceof EveryAddress name && channel.port() == null) {
      untried.addAll(name.all());
      beginNs = channel.eventLoop().ticker().nanoTime();
      openNext();
    } else {
      open(HostAddresses.plain(remote), channel.config().connectionConfig());
    }
  }

  /**
   * Tries the next address of a name. If the attempt cannot even begin, tries the one behind it.
   */
  private void openNext() throws Exception {
    while (true) {
      InetSocketAddress next = untried.poll();
      try {
        open(HostAddresses.plain(next), wishesForOne());
        return;
      } catch (Exception e) {
        if (untried.isEmpty()) {
          throw e;
        }
        failures.add(e);
      }
    }
  }

  /** Returns the options for one address, which gets an equal part of the time that is left. */
  private ConnectionConfig wishesForOne() {
    ConnectionConfig wishes = channel.config().connectionConfig();
    long leftNs = wishes.connectTimeoutNs() - (channel.eventLoop().ticker().nanoTime() - beginNs);
    long partNs = Math.max(PART_NS_MIN, leftNs / (untried.size() + 1));
    return wishes.toBuilder().connectTimeoutNs(partNs).build();
  }

  private void open(InetSocketAddress remote, ConnectionConfig own) throws Exception {
    ConnectionConfig wishes = own.following(Nodes.registerOf(channel.eventLoop()).selection());
    LoopDriver driver = LoopDrivers.of(channel.eventLoop());
    boolean isFirst = channel.link() == null;
    RtPort port = isFirst ? channel.port() : null; // the port of an earlier bind, if any
    if (port == null) {
      port = openPort(driver, local, remote);
    } else if (!ports.isShared()) {
      local = port.localAddress(); // ports that are opened later are bound there, too
      port.connect(remote);
    }
    if (isFirst) {
      channel.use(driver, port);
    }
    List<RtPort> all = new ArrayList<>(List.of(port));
    List<Pair> pairs = new ArrayList<>(List.of(new Pair(0, remote)));
    // Clients that share a port have no other: a peer's address would need one more.
    NidUse told = ports.isShared() ? NidUse.NONE : NidUse.FROM_NEW_INTERFACE;
    Connection connection = null;
    try {
      addRails(driver, all, pairs);
      connection =
          driver
              .endpoint()
              .connect(port.fitted(wishes), pairs, addresses(all), told, driver.nowNs());
    } finally {
      if (connection == null) {
        all.subList(isFirst ? 1 : 0, all.size()).forEach(RtPort::release);
      }
    }
    if (connection == null) {
      throw new ConnectException("this event loop has no connection id free");
    }
    if (all.size() == 1 && !ports.isShared() && port.isNumberFree()) {
      connection.allowNewPorts();
    }
    channel.use(driver, port);
    channel.begin(connection, all, ports.isShared() ? null : this::openLater);
  }

  /**
   * Opens a port to an address that the peer has told, or a new one to the peer; null: that is not
   * possible now.
   */
  private RtPort openLater(InetSocketAddress address) {
    LoopDriver driver = LoopDrivers.of(channel.eventLoop());
    boolean isBound = local != null && !local.getAddress().isAnyLocalAddress();
    InetSocketAddress from = isBound ? new InetSocketAddress(local.getAddress(), 0) : null;
    try {
      return ports.open(driver, channel.config().portConfig(), from, address);
    } catch (Exception e) { // no way there, or no file descriptor: a challenge is lost, no more
      LOGGER.debug("{}: no further port to {}", channel, address, e);
      return null;
    }
  }

  /** Returns the local address of each port; null where the system has not said which it is. */
  private static List<InetAddress> addresses(List<RtPort> ports) {
    List<InetAddress> addresses = new ArrayList<>();
    for (RtPort port : ports) {
      InetAddress address = port.localAddress() == null ? null : port.localAddress().getAddress();
      addresses.add(address == null || address.isAnyLocalAddress() ? null : address);
    }
    return addresses;
  }

  /** Opens a port for each rail. The number of its interface is its place among all ports. */
  private void addRails(LoopDriver driver, List<RtPort> all, List<Pair> pairs) throws Exception {
    List<RtRail> rails = channel.config().rails();
    if (!rails.isEmpty() && ports.isShared()) {
      throw new IllegalArgumentException("RAILS=" + rails + ", valid: none with a shared port");
    }
    for (RtRail rail : rails) {
      InetSocketAddress remote = HostAddresses.plain(rail.remote());
      RtPort port;
      try {
        port = openPort(driver, rail.local(), remote);
      } catch (Exception e) {
        ConnectException failure =
            new ConnectException("RAILS: " + rail + " can not be opened: " + e.getMessage());
        failure.initCause(e);
        throw failure;
      }
      port.ni(all.size());
      pairs.add(new Pair(all.size(), remote));
      all.add(port);
    }
  }

  /**
   * Opens a port to {@code remote}. If the system knows no way there now, one of several rails gets
   * a port without a peer's address: its packets leave once there is a way.
   */
  private RtPort openPort(LoopDriver driver, InetSocketAddress from, InetSocketAddress remote)
      throws Exception {
    PortConfig config = channel.config().portConfig();
    try {
      return ports.open(driver, config, from, remote);
    } catch (Exception e) {
      if (channel.config().rails().isEmpty() || !PortError.of(e).isOfRoute()) {
        throw e;
      }
      return ports.open(driver, config, from, null);
    }
  }

  /**
   * Takes the failure of the handshake with one address. Returns whether another address of the
   * name is being tried now.
   */
  boolean goesOn(CloseReason reason) {
    if (untried.isEmpty()) {
      return false;
    }
    Exception failure = failureOf(reason);
    try {
      openNext();
    } catch (Exception e) {
      failures.add(e);
      return false;
    }
    failures.add(failure);
    channel.link().pumpDue();
    return true;
  }

  /** Begins the attempt: the connection exists and has its CONNECT to send. */
  void begin(ChannelPromise newPromise) {
    promise = newPromise;
    newPromise.addListener(
        done -> {
          if (done.isCancelled()) {
            promise = null;
            channel.unsafe().close(channel.unsafe().voidPromise());
          }
        });
    channel.link().pumpDue();
  }

  /** Ends the attempt with success. Returns false if nobody wants the connection any more. */
  boolean succeed() {
    ChannelPromise ended = promise;
    promise = null;
    return ended.trySuccess();
  }

  void fail(Exception cause) {
    if (promise != null) {
      ChannelPromise ended = promise;
      promise = null;
      failures.forEach(cause::addSuppressed); // the other addresses'
      ended.tryFailure(cause);
    }
  }

  void fail(CloseReason reason) {
    fail(failureOf(reason));
  }

  /**
   * Returns the exception that a Netty user knows: a timeout, a refusal, or else the text of {@code
   * reason}.
   */
  private Exception failureOf(CloseReason reason) {
    SocketAddress to = channel.link().connection().remote();
    if (reason.code() == CloseCode.CONNECT_TIMEOUT.code()) {
      int millis = channel.config().getConnectTimeoutMillis();
      return new ConnectTimeoutException("connection timed out after " + millis + " ms: " + to);
    }
    return new ConnectException(
        (reason.code() == CloseCode.UNREACHABLE.code() ? "Connection refused" : reason)
            + ": "
            + to);
  }
}
