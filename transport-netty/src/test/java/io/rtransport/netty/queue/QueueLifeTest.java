package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.netty.DarkRelay;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of queues from their begin to their end, and how their consumer waits. */
@Timeout(60)
class QueueLifeTest extends QueueRig {
  @Test
  void shouldEndAllAsNotExecutedWhereNobodyListens() {
    RtQueues initiator = open(RtQueueConfig.defaults());
    InetSocketAddress nobody;
    try (RtQueues other = RtQueues.open(RtQueueConfig.defaults())) {
      nobody = other.listen(ANY).localAddress();
    }
    Recorder here = new Recorder();
    RtQueueConnection connection = initiator.connect(nobody);
    ByteBuf lent = Unpooled.wrappedBuffer(new byte[10]);
    assertThat(push(connection, "a", 1)).isNotNegative();
    assertThat(connection.submitPush(null, lent, 2)).isNotNegative();
    assertThat(connection.submitPull(bytes("h"), 3, 3)).isNotNegative();
    while (here.closed.isEmpty()) {
      initiator.await(here, 64, TURN);
    }
    assertThat(here.ends).hasSize(3);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.NOT_EXECUTED);
    assertThat(lent.refCnt()).isZero();
    assertThat(here.closed.get(0).code()).isEqualTo(CloseCode.UNREACHABLE.code());
    assertThat(push(connection, "late", 4)).isEqualTo(RtQueueConnection.CLOSED);
  }

  /** What was posted before the close leaves, and each claim has one end. */
  @Test
  void shouldSendWhatWasPostedBeforeTheClose() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueListener listener = target.listen(ANY);
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    for (int i = 0; i < 1_000; i++) {
      assertThat(push(connection, "m" + i, i)).isNotNegative();
    }
    connection.close();
    assertThat(push(connection, "late", 5_000)).isEqualTo(RtQueueConnection.CLOSED);
    until(initiator, here, target, there, () -> !here.closed.isEmpty());
    assertThat(here.ends).hasSize(1_000);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    until(initiator, here, target, there, () -> !there.closed.isEmpty());
    assertThat(there.messages).hasSize(1_000);
  }

  /** Producers race with the close: each claim is refused, or ends once. */
  @Test
  void shouldEndEachClaimOnceWhereProducersRaceWithTheClose() throws Exception {
    for (int round = 0; round < 8; round++) {
      RtQueues target = open(RtQueueConfig.defaults());
      RtQueues initiator = open(RtQueueConfig.defaults().postedMax(64));
      RtQueueListener listener = target.listen(ANY);
      Recorder here = new Recorder();
      Recorder there = new Recorder();
      RtQueueConnection connection = initiator.connect(listener.localAddress());
      List<CompletableFuture<Set<Long>>> producers = new ArrayList<>();
      for (int p = 0; p < 3; p++) {
        long base = p * 1_000_000L;
        producers.add(CompletableFuture.supplyAsync(() -> postUntilClosed(connection, base)));
      }
      int closeAfter = round * 100;
      boolean[] isClosed = {false};
      until(
          initiator,
          here,
          target,
          there,
          () -> {
            if (here.ends.size() >= closeAfter && !isClosed[0]) {
              isClosed[0] = true;
              connection.close();
            }
            return !here.closed.isEmpty();
          });
      Set<Long> taken = new HashSet<>();
      for (CompletableFuture<Set<Long>> producer : producers) {
        taken.addAll(producer.get());
      }
      assertThat(here.ends.keySet()).isEqualTo(taken);
      assertThat(here.endsTwice).isZero();
      target.close();
      initiator.close();
    }
  }

  private static Set<Long> postUntilClosed(RtQueueConnection connection, long base) {
    Set<Long> taken = new HashSet<>();
    for (long tag = base; ; ) {
      long answer = push(connection, "p" + tag, tag);
      if (answer == RtQueueConnection.CLOSED) {
        return taken;
      } else if (answer >= 0) {
        taken.add(tag++);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWakeASleeperWhenItsPeerCloses(boolean isImmediate) {
    RtQueueConfig config = RtQueueConfig.defaults().wakeAtOnce(isImmediate);
    RtQueues target = open(config);
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueListener listener = target.listen(ANY);
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    until(initiator, here, target, there, () -> !there.open.isEmpty() && !here.open.isEmpty());
    connection.close(300, "bye");
    while (there.closed.isEmpty()) {
      assertThat(target.await(there, 64, Duration.ofSeconds(20))).isPositive();
    }
    assertThat(there.closed.get(0).code()).isEqualTo(300);
    assertThat(there.closed.get(0).text()).isEqualTo("bye");
  }

  /** Nothing comes from the peer any more: the profile's timers end the post and the connection. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWakeASleeperByItsPeersSilence(boolean isImmediate) throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults().wakeAtOnce(isImmediate));
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    try (DarkRelay relay = new DarkRelay(target.listen(ANY).localAddress())) {
      RtQueueConnection connection = initiator.connect(relay.address());
      until(initiator, here, target, there, () -> !there.open.isEmpty() && !here.open.isEmpty());
      relay.dark(true, true);
      push(connection, "x", 1);
      while (here.closed.isEmpty()) {
        assertThat(initiator.await(here, 64, Duration.ofSeconds(20))).isPositive();
      }
    }
    assertThat(here.ends).containsExactly(Map.entry(1L, Outcome.UNKNOWN));
    assertThat(here.closed.get(0).code()).isEqualTo(CloseCode.RETRY_EXCEEDED.code());
    assertThat(initiator.count(RtQueueCounter.WAKE_UPS)).isPositive();
  }

  @Test
  void shouldEndAWaitByASignalAndByItsTimeout() {
    RtQueues queues = open(RtQueueConfig.defaults());
    Recorder here = new Recorder();
    queues.signal();
    assertThat(queues.await(here, 1, Duration.ofSeconds(30))).isZero();
    long beginNs = System.nanoTime();
    assertThat(queues.await(here, 1, Duration.ofMillis(30))).isZero();
    assertThat(System.nanoTime() - beginNs).isGreaterThanOrEqualTo(30_000_000);
    assertThat(queues.count(RtQueueCounter.WAKE_UPS)).isZero();
  }

  /** A handler of packets on both sides, and options that are set after the handshake's. */
  @Test
  void shouldSetUpTheChannelsOfConnectionsAndListeners() {
    List<FaultInjectionHandler> losses = new CopyOnWriteArrayList<>();
    Map<RtChannel, Integer> lengths = new ConcurrentHashMap<>();
    RtQueueConfig config =
        RtQueueConfig.defaults()
            .handshake(ConnectionConfig.builder().datagramLengthBytes(1_200).build())
            .listeners(
                channel -> channel.config().setOption(RtChannelOption.DATAGRAM_LENGTH, 1_000))
            .channels(
                channel -> {
                  losses.add(
                      new FaultInjectionHandler(Faults.loss(0.05), Faults.loss(0.05), losses.size())
                          .addTo(channel));
                  channel
                      .closeFuture()
                      .addListener(
                          closed ->
                              lengths.put(channel, channel.stats().getNow().datagramLengthBytes()));
                });
    RtQueues target = open(config);
    RtQueues initiator = open(config);
    RtQueueListener listener = target.listen(ANY);
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    String text = "x".repeat(300);
    for (int i = 0; i < 500; i++) {
      assertThat(push(connection, text, i)).isNotNegative();
    }
    connection.close();
    until(
        initiator,
        here,
        target,
        there,
        () -> !here.closed.isEmpty() && !there.closed.isEmpty() && lengths.size() == 2);
    assertThat(here.ends).hasSize(500);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(losses).hasSize(2).allMatch(handler -> handler.packetCount() > 0);
    assertThat(lengths.values()).containsExactly(1_000, 1_000);
  }

  /**
   * Where there are virtual threads, one may wait here, and its carrier goes on with others: tests
   * run with one carrier.
   */
  @Test
  void shouldLetAVirtualThreadWait() throws Exception {
    assumeThat(Runtime.version().feature()).isGreaterThanOrEqualTo(21);
    RtQueues target = open(RtQueueConfig.defaults());
    InetSocketAddress at = target.listen(ANY).localAddress();
    Recorder there = new Recorder();
    Thread consumer =
        startVirtualThread(
            () -> {
              while (there.messages.size() < 1_000) {
                target.await(there, 64, Duration.ofSeconds(20));
              }
              target.close();
            });
    assertThat(System.getProperty("jdk.virtualThreadScheduler.parallelism")).isEqualTo("1");
    await().until(consumer::getState, Thread.State.TIMED_WAITING::equals);
    Thread other = startVirtualThread(() -> {});
    other.join(20_000);
    assertThat(other.isAlive()).as("it waits for the carrier").isFalse();
    RtQueues initiator = open(RtQueueConfig.defaults());
    opened.remove(target); // its own thread closes it
    Recorder here = new Recorder();
    RtQueueConnection connection = initiator.connect(at);
    for (int i = 0; i < 1_000; i++) {
      assertThat(push(connection, "m" + i, i)).isNotNegative();
    }
    while (here.closed.isEmpty()) {
      initiator.await(here, 64, Duration.ofSeconds(20));
    }
    consumer.join();
    assertThat(here.ends).hasSize(1_000);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
  }

  private static Thread startVirtualThread(Runnable task) throws ReflectiveOperationException {
    return (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
  }

  /**
   * Few entries: the count of the first step, one, wakes a consumer that sleeps. Whether it sleeps
   * when an entry comes is up to the machine, so no more than one such wake-up is asked for.
   */
  @Test
  void shouldWakeByItsOwnCountAtLeastOnceWhereTheDelayTunesItself() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults().selfTuning(true));
    assertThatThrownBy(() -> initiator.delay(Duration.ofMillis(1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("delay=PT0.001S, valid: without selfTuning");
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    push(connection, "first", 0);
    until(initiator, here, target, there, () -> here.ends.size() == 1);
    for (int tag = 1; tag <= 200; tag++) {
      push(connection, "one by one", tag);
      while (here.ends.size() <= tag) {
        target.poll(there, 64);
        initiator.await(here, 64, Duration.ofMillis(1));
      }
    }
    assertThat(here.ends).hasSize(201);
    assertThat(initiator.count(RtQueueCounter.COUNTS_DUE)).isPositive();
  }

  /** Moderated: a consumer that sleeps is woken once a delay, however many entries come. */
  @Test
  void shouldWakeASleeperOnceADelay() throws Exception {
    Duration delay = Duration.ofMillis(20);
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults().wakeAtOnce(false).delay(delay));
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    Thread other =
        new Thread(
            () -> {
              while (there.closed.isEmpty()) {
                target.await(there, 64, Duration.ofSeconds(20));
              }
              target.close();
            });
    opened.remove(target); // its own thread closes it
    other.start();
    while (here.open.isEmpty()) {
      initiator.await(here, 64, Duration.ofSeconds(20));
    }
    long wakeUpsBefore = initiator.count(RtQueueCounter.WAKE_UPS);
    long beginNs = System.nanoTime();
    for (int tag = 0; tag < 200; tag++) {
      push(connection, "m", tag);
      initiator.await(here, 64, Duration.ofMillis(1)); // a timeout is no wake-up
    }
    while (here.ends.size() < 200) {
      initiator.await(here, 64, Duration.ofSeconds(20));
    }
    long delays = (System.nanoTime() - beginNs) / delay.toNanos();
    long wakeUps = initiator.count(RtQueueCounter.WAKE_UPS) - wakeUpsBefore;
    assertThat(wakeUps).isLessThanOrEqualTo(delays + 1);
    connection.close();
    other.join();
  }
}
