package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.rtransport.core.stats.CounterId;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.impair.ImpairmentProxy;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A target's process, the impairment proxy before it, and an initiator's endpoint: what every
 * scenario over real sockets begins with.
 */
final class ProxiedTarget implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final TargetProcess target;
  private final ImpairmentProxy proxy;
  private final RtEndpoint endpoint;
  private final InetSocketAddress front;

  ProxiedTarget(String settings, Impairment impairment, long seed) throws Exception {
    target = TargetProcess.start(0, 1, settings);
    proxy = new ImpairmentProxy(loops.next(), false, 0, target.address(), impairment, seed);
    front = proxy.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    endpoint = RtEndpoint.builder().handshake(ProofSettings.handshake(settings)).open();
  }

  ImpairmentProxy proxy() {
    return proxy;
  }

  RtConnection connect() throws Exception {
    return endpoint.connect(front).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  TargetProcess target() {
    return target;
  }

  /** Mixed traffic for so long; then the end of all that it began. */
  static void drive(MixedTraffic traffic, Duration time) throws Exception {
    long endNs = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = endNs - System.nanoTime()) {
      traffic.step(Duration.ofNanos(left));
    }
  }

  /**
   * Everything that was begun ends, as the target's application decided; nobody saw anything that
   * must not be; the close reaches both.
   */
  void assertNothingLost(RtConnection connection, MixedTraffic traffic) throws Exception {
    assertThat(traffic.awaitEnds(PATIENCE)).as("futures without end").isZero();
    assertThat(connection.closeReason()).isNull();
    assertThat(traffic.wrong()).isEmpty();
    assertThat(traffic.lost()).isZero();
    assertThat(traffic.held()).as("payloads still held").isZero();
    assertThat(traffic.succeeded()).isPositive();
    connection.close().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    await().atMost(PATIENCE).until(() -> PausedTargetTest.count(target.report(), "closed") == 1);
    PausedTargetTest.assertNothingWrong(target.report());
  }

  long dropped() throws Exception {
    return ((Number) proxy.counts().get("dropped")).longValue();
  }

  static Map<CounterId, Long> counters(RtConnection connection) throws Exception {
    return connection.stats().get(30, TimeUnit.SECONDS).counters();
  }

  static long retransmits(Map<CounterId, Long> counters) {
    return counters.getOrDefault(CounterId.RETRANSMITS_EARLY, 0L)
        + counters.getOrDefault(CounterId.RETRANSMITS_PROBE, 0L)
        + counters.getOrDefault(CounterId.RETRANSMITS_TIMEOUT, 0L);
  }

  @Override
  public void close() {
    endpoint.shutdown();
    proxy.close();
    target.close();
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}
