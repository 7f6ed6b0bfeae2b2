package io.rtransport.loadgen.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.proof.ProofShare;
import io.rtransport.loadgen.impair.Impairment;
import io.rtransport.loadgen.impair.ImpairmentProxy;
import io.rtransport.netty.facade.RtConnection;
import io.rtransport.netty.facade.RtEndpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A target that is killed in the middle of traffic. Half of the kills the initiator's host is told
 * that nobody listens any more; the others happen behind a proxy that keeps that from it, as if the
 * target's host had lost its power.
 */
@Tag("proof")
class KilledTargetTest {
  private static final String PROFILE = "lan";
  private static final int LIFE_MILLIS_MAX = 600;
  private static final Duration ALLOWANCE = Duration.ofSeconds(2);

  private final ProofShare share = new ProofShare();

  @Test
  void shouldLearnOfEachKillWithinTheTotalAndEndEverything() throws Exception {
    int kills = share.times(8, 50);
    long seed = ProofShare.seed("KilledTargetTest");
    SplittableRandom random = new SplittableRandom(seed);
    Leaks leaks = Leaks.watch();
    Map<String, Integer> reasons = new TreeMap<>();
    long slowestNs = 0;
    long silentNs = 0;
    long done = 0;
    try (RtEndpoint endpoint =
            RtEndpoint.builder().handshake(ProofSettings.handshake(PROFILE)).open();
        Lateness lateness = new Lateness()) {
      for (int i = 0; i < kills; i++) {
        boolean isSilent = i % 2 == 1;
        Kill kill = new Kill(endpoint, lateness, isSilent, i, random.split());
        kill.run();
        Duration late = kill.late;
        assertThat(Duration.ofNanos(kill.learntNs))
            .as("kill %d of seed %d, the machine %s late", i, seed, late)
            .isLessThan(ProofSettings.total(PROFILE).plus(ALLOWANCE).plus(late));
        reasons.merge(kill.reason.toString(), 1, Integer::sum);
        slowestNs = Math.max(slowestNs, kill.learntNs);
        silentNs = isSilent ? Math.max(silentNs, kill.learntNs) : silentNs;
        done += kill.done;
      }
    }
    assertThat(leaks.found()).isEmpty();
    assertThat(reasons).as("both ways to learn of it").hasSizeGreaterThanOrEqualTo(2);
    assertThat(done).as("transactions done before the kills").isPositive();
    System.out.printf(
        "%d kills: %,d transactions done before them; learnt after at most %,d ms (%,d ms where the host is silent too): %s%n",
        kills,
        done,
        TimeUnit.NANOSECONDS.toMillis(slowestNs),
        TimeUnit.NANOSECONDS.toMillis(silentNs),
        reasons);
  }

  private static final class Kill {
    private final RtEndpoint endpoint;
    private final Lateness lateness;
    private final boolean isSilent;
    private final long life;
    private final SplittableRandom random;
    private volatile Duration lateBefore;
    private volatile long killedNs;
    private long learntNs;

    /** How late the machine was between the kill and the news of it. */
    private Duration late;

    private long done;
    private CloseReason reason;

    Kill(
        RtEndpoint endpoint,
        Lateness lateness,
        boolean isSilent,
        long life,
        SplittableRandom random) {
      this.endpoint = endpoint;
      this.lateness = lateness;
      this.isSilent = isSilent;
      this.life = life;
      this.random = random;
    }

    void run() throws Exception {
      MultiThreadIoEventLoopGroup proxies =
          new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
      try (TargetProcess target = TargetProcess.start(0, life, PROFILE)) {
        InetSocketAddress to = target.address();
        if (isSilent) {
          to =
              new ImpairmentProxy(proxies.next(), false, 0, to, Impairment.NONE, life)
                  .start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }
        RtConnection connection = endpoint.connect(to).get(30, TimeUnit.SECONDS);
        drive(target, connection);
      } finally {
        proxies.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
      }
    }

    private void drive(TargetProcess target, RtConnection connection) throws Exception {
      MixedTraffic traffic = new MixedTraffic(connection, life, life, random.nextLong());
      traffic.warmUp();
      int lifeMillis = random.nextInt(LIFE_MILLIS_MAX);
      Future<?> kill =
          GlobalEventExecutor.INSTANCE.schedule(
              () -> {
                lateBefore = lateness.sum();
                killedNs = System.nanoTime();
                target.kill();
              },
              lifeMillis,
              TimeUnit.MILLISECONDS);
      while (traffic.step(Duration.ofMinutes(1))) {
        // until the connection has ended
      }
      reason = connection.closed().get(60, TimeUnit.SECONDS);
      learntNs = System.nanoTime() - killedNs;
      assertThat(killedNs).as("the connection ended before the kill: %s", reason).isNotZero();
      late = lateness.sum().minus(lateBefore);
      kill.sync();
      assertThat(traffic.awaitEnds(Duration.ofSeconds(20))).as("futures without end").isZero();
      assertThat(traffic.wrong()).isEmpty();
      assertThat(traffic.held()).as("payloads still held").isZero();
      assertThat(reason.code()).isIn(CloseCode.RETRY_EXCEEDED.code(), CloseCode.UNREACHABLE.code());
      assertThat(isSilent && reason.code() == CloseCode.UNREACHABLE.code()).isFalse();
      done = traffic.succeeded();
    }
  }
}
