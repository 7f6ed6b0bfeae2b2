package io.rtransport.netty.internal.server;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.rail.Nid;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.port.AddressPorts;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * One event loop's part of a server channel. It has a port at each address that the application
 * names. If that is a wildcard, it has one more port at each of the host's addresses, with the same
 * port number.
 *
 * <p>An answer must leave from the address that was asked, because a client takes it only from
 * there. But no datagram socket of Netty's can say where a datagram must leave from. Only epoll's
 * says where one came to, and for IPv4 only. The system gives a datagram to the socket with the
 * narrowest address. So one socket for each address solves this for every transport in the same
 * way, and costs nothing per packet.
 *
 * <p>A datagram that still comes in at the wildcard's own port was sent to an address that was not
 * listed. If the socket tells the address, it gets its port now, on this loop at once. Else the
 * host's addresses are listed again, at most once a second, for a new one may have come since.
 *
 * <p>Confined to its event loop, except {@link #first}, {@link #named} and {@link #like}.
 */
public final class LoopPorts implements AddressPorts, PortOwner.Member {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopPorts.class);
  private static final long LIST_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

  /** The numbers of interfaces that a connection can hold. */
  private static final int NUMBERS_MAX = 128;

  /** Addresses that the application may name in the life of a server channel. */
  static final int NAMED_MAX = Long.SIZE; // as a connection notes those that were left

  private final ServerPorts ports;
  private final PortOwner server;
  private final LoopDriver driver;
  private final PortFactory factory;
  private final PortConfig config;
  private final RtPort first;

  /**
   * Ports at the application's addresses, by their numbers: the same on each loop. Null where
   * another loop has opened one and this one not yet.
   */
  private final List<RtPort> named = new CopyOnWriteArrayList<>();

  private volatile Map<InetAddress, RtPort> byAddress = Map.of();
  private final RtPort[] numbered = new RtPort[NUMBERS_MAX];
  private Set<InetAddress> listed = Set.of();
  private final Set<InetAddress> refused = new HashSet<>();
  private long listedNs;
  private boolean isReleased;

  /**
   * Opens a port at each address.
   *
   * @param locals to bind to; null for any
   * @throws Exception if one is not available; then none is left open
   */
  public LoopPorts(
      ServerPorts ports,
      PortOwner server,
      LoopDriver driver,
      PortFactory factory,
      PortConfig config,
      List<InetSocketAddress> locals)
      throws Exception {
    this.ports = ports;
    this.server = server;
    this.driver = driver;
    this.factory = factory;
    this.config = config;
    for (InetSocketAddress local : locals) {
      try {
        named.add(factory.open(driver, config, local, null));
      } catch (Exception e) {
        named.forEach(RtPort::release);
        throw locals.size() == 1 ? e : failureOf(local, e);
      }
    }
    for (int ni = 0; ni < named.size(); ni++) {
      own(named.get(ni), ni);
    }
    this.first = named.get(0);
  }

  private static BindException failureOf(InetSocketAddress local, Exception cause) {
    BindException failure = new BindException(cause.getMessage() + ": " + local);
    failure.initCause(cause);
    return failure;
  }

  private void own(RtPort port, int ni) {
    port.owner(server);
    port.ni(ni);
    port.siblings(this::numbered);
    numbered[ni] = port;
  }

  private RtPort numbered(int ni) {
    return ni < numbered.length ? numbered[ni] : null;
  }

  /** Returns a number that no open port has; 0: none is left. */
  private int freeNumber() {
    for (int ni = 1; ni < numbered.length; ni++) {
      if (numbered[ni] == null || numbered[ni].isClosed()) {
        return ni;
      }
    }
    return 0;
  }

  @Override
  public LoopDriver driver() {
    return driver;
  }

  /** Returns the port that is bound to the application's first address. Any thread. */
  public RtPort first() {
    return first;
  }

  /** Returns the ports that are bound to the application's addresses. Any thread. */
  public List<RtPort> named() {
    return named;
  }

  public boolean isWildcard() {
    return first.localAddress().getAddress().isAnyLocalAddress();
  }

  @Override
  public RtPort like(RtPort other) {
    if (other.ni() < named.size()) {
      RtPort its = named.get(other.ni());
      return its == null ? first : its;
    }
    Map<InetAddress, RtPort> all = byAddress;
    return all.isEmpty() ? first : all.getOrDefault(other.localAddress().getAddress(), first);
  }

  /**
   * Opens a port at each of {@code addresses}, which exist from now on. The first port must share
   * its own port number.
   *
   * @param addresses empty if the system does not list them; then the known ones stay
   */
  public void listen(Set<InetAddress> addresses) {
    if (isReleased) {
      return;
    }
    first.addresses(this);
    listedNs = driver.nowNs();
    refused.clear();
    if (addresses.isEmpty()) {
      return;
    }
    for (InetAddress gone : listed) {
      if (!addresses.contains(gone)) {
        leave(gone);
      }
    }
    if (addresses.size() > Limits.LOCAL_ADDRESSES_MAX && !addresses.equals(listed)) {
      LOGGER.warn(
          "{}: of {} addresses of this host {} have a port of their own",
          server,
          addresses.size(),
          Limits.LOCAL_ADDRESSES_MAX);
    }
    listed = addresses;
    for (InetAddress address : addresses) {
      join(address);
    }
  }

  /** Opens a port at {@code address} if there is none. Returns null if there can be none. */
  public RtPort join(InetAddress address) {
    RtPort known = byAddress.get(address);
    int number = freeNumber();
    boolean isPossible =
        !isReleased
            && number > 0
            && byAddress.size() < Limits.LOCAL_ADDRESSES_MAX
            && refused.size() < Limits.LOCAL_ADDRESSES_MAX
            && !address.isMulticastAddress()
            && !address.isAnyLocalAddress()
            && !refused.contains(address);
    if (known != null || !isPossible) {
      return known;
    }
    try {
      InetSocketAddress local = new InetSocketAddress(address, first.localAddress().getPort());
      RtPort opened = factory.open(driver, config.sharing(), local, null);
      own(opened, number);
      Map<InetAddress, RtPort> all = new HashMap<>(byAddress);
      all.put(address, opened);
      byAddress = Map.copyOf(all);
      return opened;
    } catch (Exception e) { // not yet or no more this host's: the wildcard's port stands in
      LOGGER.debug("{}: no port at {}", server, address, e);
      refused.add(address);
      return null;
    }
  }

  private void leave(InetAddress address) {
    RtPort port = byAddress.get(address);
    if (port != null) {
      Map<InetAddress, RtPort> all = new HashMap<>(byAddress);
      all.remove(address);
      byAddress = Map.copyOf(all);
      port.release(); // its connections, if it has any, keep it
    }
  }

  @Override
  public RtPort at(InetAddress asked) {
    RtPort known = asked == null ? null : byAddress.get(asked);
    if (known == null && asked != null) {
      known = join(asked);
      if (known != null) {
        ports.joinEverywhere(asked);
      }
    }
    if (known == null && !isReleased && driver.nowNs() - listedNs >= LIST_INTERVAL_NS) {
      listedNs = driver.nowNs();
      ports.listAgain();
    }
    return known == null || known.isClosed() ? first : known;
  }

  /**
   * Opens a port at one more address of the application. If it was given up, and connections have
   * kept its socket, it is taken back.
   *
   * @param ni its number, above 0
   * @param isShared whether other loops have, or had, sockets at the same address
   * @throws IOException if the address is not available
   */
  RtPort join(int ni, InetSocketAddress local, boolean isShared) throws IOException {
    if (isReleased) {
      throw new ClosedChannelException();
    }
    RtPort known = ni < named.size() ? named.get(ni) : null;
    if (known != null && known.takeBack()) {
      return known;
    }
    RtPort opened;
    try {
      opened = factory.open(driver, isShared ? config.sharing() : config, local, null);
    } catch (Exception e) {
      throw failureOf(local, e);
    }
    own(opened, ni);
    while (named.size() <= ni) {
      named.add(null);
    }
    named.set(ni, opened);
    return opened;
  }

  /** Returns whether a socket is open at an address. On another thread it may be late. */
  boolean isOpen(int ni) {
    RtPort port = ni < named.size() ? named.get(ni) : null;
    return port != null && !port.isClosed();
  }

  /** Gives a port up whose address could not join on all loops: nobody was told of it. */
  void abandon(int ni) {
    RtPort port = ni < named.size() ? named.get(ni) : null;
    if (!isReleased && port != null && !port.isLeft()) {
      port.leave();
    }
  }

  /** Tells the connections of an address that has joined. */
  void tell(int ni, Nid nid) {
    if (!isReleased && !named.get(ni).isLeft()) {
      driver.inTurn(
          () -> driver.forEachLink(link -> link.portEvents().onAddressJoined(server, ni, nid)));
    }
  }

  /** Gives the port at one of the application's addresses up. Its connections keep it. */
  void leave(int ni, Nid nid) {
    RtPort port = ni < named.size() ? named.get(ni) : null;
    if (isReleased || port == null || port.isLeft()) {
      return;
    }
    driver.inTurn(
        () -> driver.forEachLink(link -> link.portEvents().onAddressLeft(server, ni, nid)));
    port.leave();
  }

  /** Gives all ports up. Each closes with the last of its connections. */
  public void release() {
    isReleased = true;
    named.stream().filter(port -> port != null && !port.isLeft()).forEach(RtPort::release);
    byAddress.values().forEach(RtPort::release);
  }
}
