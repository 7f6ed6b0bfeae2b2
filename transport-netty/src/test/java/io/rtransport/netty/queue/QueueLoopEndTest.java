package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.queue.Claim;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Event loops of the caller that end before the queues on them. */
@Timeout(60)
class QueueLoopEndTest extends QueueRig {
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final RtQueues other = open(RtQueueConfig.defaults());
  private final RtQueues ofCaller =
      open(RtQueueConfig.defaults().group(group, NioDatagramChannel::new));
  private final Recorder here = new Recorder();
  private final Recorder there = new Recorder();

  @AfterEach
  void endLoop() {
    group.shutdownGracefully(20, 5_000, TimeUnit.MILLISECONDS).syncUninterruptibly();
  }

  private RtQueueConnection connect() {
    RtQueueConnection connection = ofCaller.connect(other.listen(ANY).localAddress());
    until(ofCaller, here, other, there, () -> !here.open.isEmpty());
    return connection;
  }

  private void awaitClosed() {
    long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (here.closed.isEmpty()) {
      assertThat(System.nanoTime() - deadlineNs).as("%s", here).isNegative();
      ofCaller.await(here, 64, TURN);
    }
  }

  /** A thread that was stopped between claim and publish, as its loop ended. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndAPostThatIsPublishedAfterItsLoopHasEnded(boolean isAutoFlush) {
    RtQueueConnection connection = connect();
    connection.autoFlush(isAutoFlush);
    assertThat(connection.rings.completions.tryPost(1)).isEqualTo(Claim.TAKEN);
    long claim = connection.rings.submissions.tryClaim(0);
    ByteBuf second = Unpooled.wrappedBuffer(new byte[10]);
    assertThat(connection.submitPush(null, second, 2)).isOne();
    endLoop();
    for (int i = 0; i < 5; i++) {
      ofCaller.await(here, 64, TURN);
    }
    assertThat(here.closed).isEmpty();
    ByteBuf first = Unpooled.wrappedBuffer(new byte[10]);
    connection.rings.submissions.publish(claim, ConnectionRings.LENT, 1, 0, 10, first);
    connection.ring();
    awaitClosed();
    assertThat(here.ends).hasSize(2);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.NOT_EXECUTED);
    assertThat(here.endsTwice).isZero();
    assertThat(connection.posted()).isZero();
    assertThat(first.refCnt() + second.refCnt()).isZero();
  }

  /** Producers race with the end of the loop: each claim is refused, or ends once. */
  @Test
  void shouldEndEachClaimOnceWhereProducersRaceWithTheEndOfTheLoop() throws Exception {
    RtQueueConnection connection = connect();
    AtomicInteger started = new AtomicInteger();
    List<CompletableFuture<List<ByteBuf>>> producers = new ArrayList<>();
    for (int p = 0; p < 3; p++) {
      long base = p * 1_000_000L;
      producers.add(
          CompletableFuture.supplyAsync(
              () -> {
                List<ByteBuf> taken = new ArrayList<>();
                for (long answer = 0; answer != RtQueueConnection.CLOSED; ) {
                  ByteBuf lent = Unpooled.wrappedBuffer(new byte[10]);
                  answer = connection.submitPush(null, lent, base + taken.size());
                  if (answer >= 0) {
                    taken.add(lent);
                    started.incrementAndGet();
                  }
                }
                return taken;
              }));
    }
    until(ofCaller, here, other, there, () -> started.get() > 300);
    endLoop();
    awaitClosed();
    Set<Long> taken = new HashSet<>();
    for (int p = 0; p < 3; p++) {
      List<ByteBuf> lent = producers.get(p).get();
      for (int i = 0; i < lent.size(); i++) {
        taken.add(p * 1_000_000L + i);
        assertThat(lent.get(i).refCnt()).isZero();
      }
    }
    assertThat(here.ends.keySet()).isEqualTo(taken);
    assertThat(here.endsTwice).isZero();
  }

  @Test
  void shouldCloseAConnectionOverALoopThatHasEnded() {
    InetSocketAddress address = other.listen(ANY).localAddress();
    endLoop();
    RtQueueConnection connection = ofCaller.connect(address);
    assertThat(push(connection, "a", 1)).isZero();
    awaitClosed();
    assertThat(here.ends).containsExactly(Map.entry(1L, Outcome.NOT_EXECUTED));
    assertThat(connection.posted()).isZero();
  }

  /** Its loop ends before the consumer has seen it. */
  @Test
  void shouldTellOfAnAcceptedConnectionWhoseLoopHasEnded() {
    InetSocketAddress address = ofCaller.listen(ANY).localAddress();
    other.connect(address);
    while (ofCaller.storedCount() == 0) { // it was accepted
      other.await(there, 64, TURN);
    }
    endLoop();
    awaitClosed();
    assertThat(here.open).hasSize(1);
    assertThat(here.open.get(0).posted()).isZero();
  }
}
