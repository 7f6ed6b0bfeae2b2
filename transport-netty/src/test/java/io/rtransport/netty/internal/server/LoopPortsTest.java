package io.rtransport.netty.internal.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.NetUtil;
import io.rtransport.core.stats.Limits;
import io.rtransport.netty.RtChannels;
import io.rtransport.netty.RtServerChannel;
import io.rtransport.netty.SilentPort;
import io.rtransport.netty.internal.loop.LoopDrivers;
import io.rtransport.netty.internal.loop.PortOwner;
import io.rtransport.netty.port.AddressPorts;
import io.rtransport.netty.port.PortConfig;
import io.rtransport.netty.port.PortFactory;
import io.rtransport.netty.port.RtPort;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A port for each address of a wildcard, over ports of memory: which are opened, how many, and when
 * they are given up.
 */
@Timeout(60)
class LoopPortsTest {
  private static final InetSocketAddress WILDCARD = new InetSocketAddress("0.0.0.0", 7400);
  private static final PortConfig CONFIG = new PortConfig(1_408, true, 0, 0, 0, false, true, false);

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoop loop = group.next();
  private final Set<InetAddress> open = ConcurrentHashMap.newKeySet();
  private final Set<InetAddress> unavailable = ConcurrentHashMap.newKeySet();
  private RtServerChannel server;
  private AddressPorts addresses;
  private boolean isShared;

  /** Bound to nothing but the books of this test. */
  private final class Port extends SilentPort {
    private final InetSocketAddress local;

    Port(InetSocketAddress local) throws BindException {
      if (unavailable.contains(local.getAddress())) {
        throw new BindException("not an address of this host");
      }
      this.local = local;
      assertThat(open.add(local.getAddress())).as("bound once: %s", local).isTrue();
    }

    @Override
    public InetSocketAddress localAddress() {
      return local;
    }

    @Override
    public void share() {
      isShared = true;
    }

    @Override
    public void addresses(AddressPorts ports) {
      addresses = ports;
    }

    @Override
    protected void close() {
      open.remove(local.getAddress());
    }
  }

  @BeforeEach
  void register() throws Exception {
    server = RtChannels.server((context, config, local, remote) -> new Port(local)).newChannel();
    group.register(server).sync();
  }

  @AfterEach
  void stop() {
    group.shutdownGracefully(0, 20, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private <T> T onLoop(Callable<T> action) throws Exception {
    return loop.submit(action).get(20, TimeUnit.SECONDS);
  }

  private LoopPorts ports() throws Exception {
    PortFactory factory = (context, config, local, remote) -> new Port(local);
    PortOwner owner = (PortOwner) server;
    return new LoopPorts(
        new ServerPorts(owner, factory),
        owner,
        LoopDrivers.of(loop),
        factory,
        CONFIG,
        List.of(WILDCARD));
  }

  private static InetAddress address(int i) {
    try {
      return InetAddress.getByAddress(new byte[] {10, 0, (byte) (i >> 8), (byte) i});
    } catch (UnknownHostException e) {
      throw new AssertionError("four bytes are an address", e);
    }
  }

  private static Set<InetAddress> addresses(int count) {
    Set<InetAddress> addresses = new LinkedHashSet<>();
    for (int i = 1; i <= count; i++) {
      addresses.add(address(i));
    }
    return addresses;
  }

  @Test
  void shouldOpenAPortForAsManyAddressesAsAllowedAndNoMore() throws Exception {
    onLoop(
        () -> {
          LoopPorts ports = ports();
          ports.listen(addresses(Limits.LOCAL_ADDRESSES_MAX - 1));
          assertThat(open).hasSize(Limits.LOCAL_ADDRESSES_MAX); // the wildcard's with them
          InetAddress last = address(1_000);
          assertThat(ports.join(last).localAddress()).isEqualTo(new InetSocketAddress(last, 7400));
          assertThat(ports.join(address(1_001))).isNull();
          assertThat(ports.join(last)).as("what is there is found").isNotNull();
          assertThat(open).hasSize(1 + Limits.LOCAL_ADDRESSES_MAX);
          ports.release();
          return null;
        });
    assertThat(open).isEmpty();
  }

  @Test
  void shouldTryAsManyAddressesAsAllowedThatCanNotBeHad() throws Exception {
    unavailable.addAll(addresses(Limits.LOCAL_ADDRESSES_MAX));
    onLoop(
        () -> {
          LoopPorts ports = ports();
          ports.listen(Set.of());
          for (InetAddress address : unavailable) {
            assertThat(ports.join(address)).isNull();
          }
          assertThat(ports.join(address(999))).as("tries no more").isNull();
          ports.listen(Set.of()); // the next list
          assertThat(ports.join(address(999))).isNotNull();
          ports.release();
          return null;
        });
    assertThat(open).isEmpty();
  }

  @Test
  void shouldGiveUpTheAddressesThatAreGoneAndLeaveThemToTheirConnections() throws Exception {
    onLoop(
        () -> {
          LoopPorts ports = ports();
          ports.listen(addresses(3));
          final RtPort asked = ports.join(address(9));
          RtPort kept = ports.join(address(2));
          kept.retain(); // a connection
          ports.listen(Set.of(address(3)));
          assertThat(open)
              .containsExactlyInAnyOrder(WILDCARD.getAddress(), address(2), address(3), address(9));
          assertThat(ports.like(kept)).as("no more").isSameAs(ports.first());
          assertThat(ports.like(asked)).isSameAs(asked);
          kept.release();
          ports.release();
          ports.listen(addresses(3)); // on its way while the server channel closed
          assertThat(ports.join(address(4))).isNull();
          return null;
        });
    assertThat(open).isEmpty();
  }

  @Test
  void shouldKeepItsAddressesWhileTheyCanNotBeListed() throws Exception {
    onLoop(
        () -> {
          LoopPorts ports = ports();
          ports.listen(addresses(2));
          ports.listen(Set.of()); // as when no file descriptor was left to ask with
          assertThat(open).containsExactlyInAnyOrder(WILDCARD.getAddress(), address(1), address(2));
          ports.listen(addresses(1));
          assertThat(open).containsExactlyInAnyOrder(WILDCARD.getAddress(), address(1));
          ports.release();
          return null;
        });
  }

  @Test
  void shouldGiveThoseOfOneLinkAPortLast() throws Exception {
    InetAddress ofLink = InetAddress.getByName("fe80::1");
    InetAddress alsoOfLink = InetAddress.getByName("169.254.0.1");
    assertThat(
            HostAddresses.inOrder(
                Stream.of(ofLink, address(2), alsoOfLink, NetUtil.LOCALHOST6, address(1))))
        .containsExactly(address(2), NetUtil.LOCALHOST6, address(1), ofLink, alsoOfLink);
  }

  @Test
  void shouldNotSendToAPortThatHasClosedWhatComesToTheWildcardsThatIsKept() throws Exception {
    onLoop(
        () -> {
          LoopPorts ports = ports();
          ports.listen(addresses(2));
          ports.first().retain(); // connections
          RtPort kept = ports.join(address(2));
          kept.retain();
          ports.release();
          assertThat(ports.at(address(1))).isSameAs(ports.first());
          assertThat(ports.at(address(2))).isSameAs(kept);
          kept.release();
          ports.first().release();
          return null;
        });
    assertThat(open).isEmpty();
  }

  @Test
  void shouldSendWhatComesToOneOfItsAddressesThereAndTheRestToTheWildcard() throws Exception {
    server.bind(WILDCARD).sync();
    assertThat(isShared).isTrue();
    Set<InetAddress> listed = HostAddresses.behind(WILDCARD.getAddress());
    assertThat(listed).contains(InetAddress.getByName("127.0.0.1"));
    assertThat(open).containsAll(listed).contains(WILDCARD.getAddress());
    unavailable.add(address(8));
    Set<InetAddress> others = new HashSet<>();
    onLoop(
        () -> {
          for (InetAddress asked : listed) {
            others.add(addresses.at(asked).localAddress().getAddress());
          }
          assertThat(addresses.at(address(7)).localAddress().getAddress()).isEqualTo(address(7));
          assertThat(addresses.at(address(8)).localAddress()).isEqualTo(WILDCARD);
          assertThat(addresses.at(InetAddress.getByName("224.0.0.1")).localAddress())
              .isEqualTo(WILDCARD);
          assertThat(addresses.at(null).localAddress()).isEqualTo(WILDCARD);
          return null;
        });
    assertThat(others).isEqualTo(listed);
    server.close().sync();
    assertThat(open).isEmpty();
  }

  @Test
  void shouldListTheHostsAddressesAgainForWhatComesToTheWildcard() throws Exception {
    InetAddress late = InetAddress.getByName("127.0.0.1");
    unavailable.add(late);
    server.bind(WILDCARD).sync();
    assertThat(open).doesNotContain(late);
    unavailable.clear();
    await()
        .atMost(20, TimeUnit.SECONDS)
        .until(
            () -> {
              onLoop(() -> addresses.at(null));
              return open.contains(late);
            });
    server.close().sync();
    assertThat(open).isEmpty();
  }
}
