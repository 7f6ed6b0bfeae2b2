package io.rtransport.netty.internal.server;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.internal.loop.LoopDriver;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.port.AddressPorts;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One event loop's part of a server channel: the port that is bound to what the application named
 * and, where that is a wildcard, one more at each of the host's addresses, with the same port
 * number.
 *
 * <p>An answer has to leave from the address that was asked, for a client takes it from there only;
 * but no datagram socket of Netty's can say where a datagram is to leave from, and only epoll's
 * says, of IPv4, where one came to. The system gives a datagram to the socket with the narrowest
 * address, so with a socket each that is settled for every transport alike, and costs nothing a
 * packet.
 *
 * <p>What still comes in at the wildcard's own port was sent to an address that was not listed.
 * Where the socket tells which, that gets its port now, on this loop at once; else the host's
 * addresses are listed anew, at most once a second, for one may have come since.
 *
 * <p>Confined to its event loop, but for {@link #first} and {@link #like}.
 */
public final class LoopPorts implements AddressPorts, PortOwner.Member {
  private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopPorts.class);
  private static final long LIST_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

  private final ServerPorts ports;
  private final PortOwner server;
  private final LoopDriver driver;
  private final PortFactory factory;
  private final PortConfig config;
  private final RtPort first;
  private volatile Map<InetAddress, RtPort> byAddress = Map.of();
  private Set<InetAddress> listed = Set.of();
  private final Set<InetAddress> refused = new HashSet<>();
  private long listedNs;
  private boolean isReleased;

  /**
   * Opens the first port.
   *
   * @param local to bind to, or null for any
   * @throws Exception if the address can not be had
   */
  public LoopPorts(
      ServerPorts ports,
      PortOwner server,
      LoopDriver driver,
      PortFactory factory,
      PortConfig config,
      InetSocketAddress local)
      throws Exception {
    this.ports = ports;
    this.server = server;
    this.driver = driver;
    this.factory = factory;
    this.config = config;
    this.first = factory.open(driver, config, local, null);
    first.owner(server);
  }

  @Override
  public LoopDriver driver() {
    return driver;
  }

  /** The one that is bound to what the application named. Any thread. */
  public RtPort first() {
    return first;
  }

  public boolean isWildcard() {
    return first.localAddress().getAddress().isAnyLocalAddress();
  }

  @Override
  public RtPort like(RtPort other) {
    Map<InetAddress, RtPort> all = byAddress;
    return all.isEmpty() ? first : all.getOrDefault(other.localAddress().getAddress(), first);
  }

  /**
   * From now on there is a port at each of {@code addresses}; the first one must share its own.
   *
   * @param addresses empty if they can not be had: then those that are known stay
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

  /** Opens a port at {@code address} if there is none; null if there can be none. */
  public RtPort join(InetAddress address) {
    RtPort known = byAddress.get(address);
    boolean isPossible =
        !isReleased
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
      opened.owner(server);
      Map<InetAddress, RtPort> all = new HashMap<>(byAddress);
      all.put(address, opened);
      byAddress = Map.copyOf(all);
      return opened;
    } catch (
        Exception e) { // not this host's any more, or not yet: the wildcard's own port stands in
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

  /** Gives all ports up: each closes with the last of its connections. */
  public void release() {
    isReleased = true;
    first.release();
    byAddress.values().forEach(RtPort::release);
  }
}
