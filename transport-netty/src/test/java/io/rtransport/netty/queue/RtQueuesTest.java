package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.rtransport.core.connection.CloseReason;
import io.rtransport.core.connection.ConnectionConfig;
import io.rtransport.core.transaction.Outcome;
import io.rtransport.core.wire.CloseCode;
import io.rtransport.netty.RtChannel;
import io.rtransport.netty.RtChannelOption;
import io.rtransport.netty.handler.FaultInjectionHandler;
import io.rtransport.netty.handler.Faults;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues over real sockets: what is posted ends once, and what comes is answered once. */
@Timeout(60)
class RtQueuesTest {
  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  private static final Duration TURN = Duration.ofMillis(20);

  private final List<RtQueues> opened = new ArrayList<>();

  @AfterEach
  void close() {
    opened.forEach(RtQueues::close);
  }

  private RtQueues open(RtQueueConfig config) {
    RtQueues queues = RtQueues.open(config);
    opened.add(queues);
    return queues;
  }

  /** Takes down what a consumer is given. */
  private static class Recorder implements RtQueueHandler {
    final Map<Long, Outcome> ends = new HashMap<>();
    final Map<Long, Integer> codes = new HashMap<>();
    final Map<Long, String> answers = new HashMap<>();
    final List<String> messages = new ArrayList<>();
    final List<RtQueueConnection> open = new ArrayList<>();
    final List<CloseReason> closed = new ArrayList<>();
    int endsTwice;

    @Override
    public String toString() {
      return ends.size() + " ends, " + messages.size() + " messages, closed " + closed;
    }

    @Override
    public void onCompletion(RtQueueEntry entry) {
      if (ends.put(entry.tag(), entry.outcome()) != null) {
        endsTwice++;
      }
      codes.put(entry.tag(), entry.code());
      if (entry.buffer() != null) {
        answers.put(entry.tag(), text(entry));
      }
    }

    @Override
    public void onMessage(RtQueueEntry entry) {
      messages.add(text(entry));
    }

    @Override
    public void onOpen(RtQueueConnection connection) {
      open.add(connection);
    }

    @Override
    public void onClosed(RtQueueConnection connection, CloseReason reason) {
      closed.add(reason);
    }
  }

  private static String text(RtQueueEntry entry) {
    byte[] bytes = new byte[entry.length()];
    entry.buffer().get(entry.offset(), bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static long push(RtQueueConnection connection, String text, long tag) {
    byte[] bytes = bytes(text);
    return connection.submitPush(bytes, 0, bytes.length, tag);
  }

  /** Polls both by turns until something holds. */
  private static void until(
      RtQueues one, RtQueueHandler a, RtQueues other, RtQueueHandler b, BooleanSupplier holds) {
    long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (!holds.getAsBoolean()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("still: " + a + " and " + b);
      }
      if (one.poll(a, 64) + other.poll(b, 64) == 0) {
        one.await(a, 64, Duration.ofMillis(1));
      }
    }
  }

  @Test
  void shouldEndEachPushOnceAndInOrder() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueListener listener = target.listen(ANY);
    Recorder there = new Recorder();
    Recorder here = new Recorder();
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    int count = 20_000;
    int[] posted = {0};
    until(
        initiator,
        here,
        target,
        there,
        () -> {
          while (posted[0] < count && push(connection, "m" + posted[0], posted[0]) >= 0) {
            posted[0]++;
          }
          return here.ends.size() == count;
        });
    assertThat(here.endsTwice).isZero();
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(there.messages).hasSize(count);
    for (int i = 0; i < count; i++) {
      assertThat(there.messages.get(i)).isEqualTo("m" + i);
    }
    assertThat(connection.posted()).isZero();
  }

  /** Lengths on both sides of each limit: one packet, the copy, the solicited push. */
  @Test
  void shouldCarryEachLengthWithHeaderAndOrder() {
    RtQueueConfig config = RtQueueConfig.defaults().submissionBytes(1 << 13).inboundBytes(1 << 13);
    RtQueues target = open(config);
    RtQueues initiator = open(config);
    RtQueueListener listener = target.listen(ANY);
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    int copyMax = connection.copyBytesMax();
    assertThat(copyMax).isEqualTo(1 << 10);
    Random random = new Random(7);
    List<String> sent = new ArrayList<>();
    for (int length :
        new int[] {0, 1, 7, 8, 9, copyMax - 1, copyMax, copyMax + 1, 9_000, 300_000}) {
      byte[] payload = new byte[length];
      random.nextBytes(payload);
      sent.add(new String(payload, StandardCharsets.ISO_8859_1));
    }
    Recorder here = new Recorder();
    List<String> headers = new ArrayList<>();
    Recorder there =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            byte[] header = new byte[entry.headerLength()];
            entry.buffer().get(entry.headerOffset(), header);
            headers.add(new String(header, StandardCharsets.ISO_8859_1));
            super.onMessage(entry);
          }
        };
    List<ByteBuf> lent = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      String text = sent.get(i);
      long tag = i;
      boolean isCopied = text.length() <= copyMax && i % 2 == 0;
      ByteBuf payload = isCopied ? null : Unpooled.copiedBuffer(bytes(text));
      if (payload != null) {
        lent.add(payload);
      }
      until(
          initiator,
          here,
          target,
          there,
          () ->
              (isCopied
                      ? push(connection, text, tag)
                      : connection.submitPush(bytes("h" + tag), payload, tag))
                  >= 0);
    }
    until(initiator, here, target, there, () -> here.ends.size() == sent.size());
    assertThat(there.messages).isEqualTo(sent);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    for (int i = 0; i < sent.size(); i++) {
      boolean isCopied = sent.get(i).length() <= copyMax && i % 2 == 0;
      assertThat(headers.get(i)).isEqualTo(isCopied ? "" : "h" + i);
    }
    assertThat(lent).allMatch(buffer -> buffer.refCnt() == 0);
    assertThat(push(connection, "x".repeat(copyMax + 1), 99)).isEqualTo(RtQueueConnection.TOO_LONG);
    assertThat(connection.posted()).isZero();
  }

  @Test
  void shouldAnswerPullsAlsoLater() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueListener listener = target.listen(ANY);
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    List<Long> deferred = new ArrayList<>();
    List<ByteBuf> lent = new ArrayList<>();
    Recorder here = new Recorder();
    Recorder there =
        new Recorder() {
          @Override
          public void onRequest(RtQueueEntry entry) {
            byte[] header = new byte[entry.headerLength()];
            entry.buffer().get(entry.headerOffset(), header);
            switch (new String(header, StandardCharsets.ISO_8859_1)) {
              case "now" -> {
                ByteBuf answer = Unpooled.copiedBuffer(bytes("answer of " + entry.limitBytes()));
                lent.add(answer);
                entry.connection().respond(entry.defer(), answer);
              }
              case "later" -> deferred.add(entry.defer());
              case "fail" -> entry.connection().fail(entry.defer(), 300, "no");
              case "throw" -> throw new IllegalStateException("on purpose");
              default -> {
                // no answer
              }
            }
          }
        };
    connection.submitPull(bytes("now"), 100, 0);
    connection.submitPull(bytes("later"), 1 << 20, 1);
    connection.submitPull(bytes("fail"), 10, 2);
    connection.submitPull(bytes("throw"), 10, 3);
    connection.submitPull(bytes("nothing"), 10, 4);
    until(initiator, here, target, there, () -> deferred.size() == 1 && here.ends.size() >= 1);
    ByteBuf large = Unpooled.wrappedBuffer(new byte[1 << 20]);
    lent.add(large);
    there.open.get(0).respond(deferred.get(0), large);
    until(initiator, here, target, there, () -> here.ends.size() == 5);
    assertThat(here.ends)
        .containsEntry(0L, Outcome.COMPLETED)
        .containsEntry(1L, Outcome.COMPLETED)
        .containsEntry(2L, Outcome.FAILED)
        .containsEntry(3L, Outcome.UNKNOWN)
        .containsEntry(4L, Outcome.UNKNOWN);
    assertThat(here.codes).containsEntry(2L, 300);
    assertThat(here.answers).containsEntry(0L, "answer of 100").hasSize(2);
    assertThat(here.answers.get(1L)).hasSize(1 << 20);
    assertThat(lent).allMatch(buffer -> buffer.refCnt() == 0);
  }

  /** The smallest capacities, and both push before they poll. */
  @Test
  void shouldGoOnWhereBothPushBeforeTheyPoll() {
    RtQueueConfig config =
        RtQueueConfig.defaults()
            .postedMax(1)
            .inboundMax(1)
            .submissionBytes(1 << 13)
            .inboundBytes(1 << 13);
    RtQueues target = open(config);
    RtQueues initiator = open(config);
    RtQueueListener listener = target.listen(ANY);
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(listener.localAddress());
    until(initiator, here, target, there, () -> !here.open.isEmpty() && !there.open.isEmpty());
    RtQueueConnection back = there.open.get(0);
    int rounds = 200;
    for (int i = 0; i < rounds; i++) {
      int number = i;
      assertThat(push(connection, "a" + i, i)).isNotNegative();
      assertThat(push(connection, "full", i)).isEqualTo(RtQueueConnection.BACK_PRESSURED);
      assertThat(push(back, "b" + i, i)).isNotNegative();
      until(
          initiator,
          here,
          target,
          there,
          () -> here.ends.size() == number + 1 && there.ends.size() == number + 1);
    }
    assertThat(here.messages).hasSize(rounds);
    assertThat(there.messages).hasSize(rounds);
  }

  /** A consumer that never answers holds its own connection back, and no other. */
  @Test
  void shouldHoldBackOnlyTheConnectionThatIsNotAnswered() {
    RtQueues target = open(RtQueueConfig.defaults().inboundMax(4).inboundBytes(1 << 13));
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueListener listener = target.listen(ANY);
    Recorder here = new Recorder();
    List<Long> deferred = new ArrayList<>();
    RtQueueConnection[] stuckThere = {null};
    Recorder there =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            super.onMessage(entry);
            if (text(entry).startsWith("stuck")) {
              stuckThere[0] = entry.connection();
              deferred.add(entry.defer());
            }
          }
        };
    RtQueueConnection stuck = initiator.connect(listener.localAddress());
    RtQueueConnection lively = initiator.connect(listener.localAddress());
    for (int i = 0; i < 50; i++) {
      assertThat(push(stuck, "stuck" + i, i)).isNotNegative();
    }
    for (int i = 0; i < 500; i++) {
      assertThat(push(lively, "lively" + i, 1_000 + i)).isNotNegative();
    }
    until(initiator, here, target, there, () -> here.ends.size() == 500 && deferred.size() == 4);
    assertThat(stuck.posted()).isEqualTo(50);
    assertThat(deferred).hasSize(4);
    until(
        initiator,
        here,
        target,
        there,
        () -> {
          while (!deferred.isEmpty()) {
            stuckThere[0].acknowledge(deferred.remove(0));
          }
          return here.ends.size() == 550;
        });
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
  }

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
  void shouldWakeASleeperByItsPeersDeath(boolean isImmediate) {
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
    until(initiator, here, target, there, () -> !here.closed.isEmpty() && !there.closed.isEmpty());
    assertThat(here.ends).hasSize(500);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(losses).hasSize(2).allMatch(handler -> handler.packetCount() > 0);
    assertThat(lengths.values()).containsExactly(1_000, 1_000);
  }

  /** Where there are virtual threads, one may wait here, and its carrier goes on with others. */
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

  /** Moderated: a consumer that sleeps is woken once a delay, however many entries come. */
  @Test
  void shouldWakeASleeperOnceADelay() {
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
    assertThat(other).satisfies(thread -> thread.join(20_000));
  }

  @Test
  void shouldNameWhatIsNotValid() throws Exception {
    RtQueueConfig config = RtQueueConfig.defaults();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.postedMax(0))
        .withMessage("postedMax=0, valid: 1..65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.inboundMax(65_537))
        .withMessage("inboundMax=65537, valid: 1..65536");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.delay(Duration.ofMillis(-1)))
        .withMessage("delay=PT-0.001S, valid: 0 to 10 s");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> config.submissionBytes(10_000))
        .withMessage("submissionBytes=10000, valid: a power of two in 8192..268435456");
    RtQueues queues = open(config);
    Recorder here = new Recorder();
    assertThatIllegalArgumentException().isThrownBy(() -> queues.poll(here, 0));
    queues.poll(here, 1);
    Throwable[] thrown = {null};
    Thread other =
        new Thread(
            () -> {
              try {
                queues.poll(here, 1);
              } catch (IllegalStateException e) {
                thrown[0] = e;
              }
            },
            "other");
    other.start();
    other.join();
    assertThat(thrown[0])
        .hasMessageStartingWith(
            "poll by thread other, valid: the thread that polls these queues, ");
    RtQueueConnection connection = queues.connect(queues.listen(ANY).localAddress());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> push(connection, "x", -1))
        .withMessage("tag=-1, valid: 0..9223372036854775807");
    assertThatIllegalStateException().isThrownBy(() -> connection.acknowledge(5));
    RuntimeException[] fromHandler = {null};
    RtQueueHandler polls =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            try {
              queues.poll(this, 1);
            } catch (IllegalStateException e) {
              fromHandler[0] = e;
            }
          }
        };
    push(connection, "x", 1);
    while (fromHandler[0] == null) {
      queues.await(polls, 64, TURN);
    }
    assertThat(fromHandler[0]).hasMessage("poll from a handler of these queues, valid: outside");
  }

  @Test
  void shouldFailAMessageWhoseHandlerThrowsAndGoOn() {
    RtQueues queues = open(RtQueueConfig.defaults());
    RtQueueConnection connection = queues.connect(queues.listen(ANY).localAddress());
    Recorder both =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            super.onMessage(entry);
            if (text(entry).equals("bad")) {
              throw new IllegalArgumentException("on purpose");
            }
          }
        };
    push(connection, "bad", 1);
    push(connection, "good", 2);
    while (both.ends.size() < 2) {
      queues.await(both, 64, TURN);
    }
    assertThat(both.ends).containsEntry(1L, Outcome.UNKNOWN).containsEntry(2L, Outcome.COMPLETED);
    assertThat(both.codes).containsEntry(1L, CloseCode.APPLICATION_ERROR.code());
  }

  @Test
  void shouldRefuseAMessageThatIsTooLongForThisSide() {
    RtQueues target = open(RtQueueConfig.defaults().messageBytesMax(1_000));
    RtQueues initiator = open(RtQueueConfig.defaults());
    Recorder here = new Recorder();
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    push(connection, "x".repeat(1_000), 1);
    push(connection, "x".repeat(1_001), 2);
    until(initiator, here, target, there, () -> here.ends.size() == 2);
    assertThat(here.ends)
        .containsEntry(1L, Outcome.COMPLETED)
        .containsEntry(2L, Outcome.NOT_EXECUTED);
    assertThat(ByteBufUtil.hexDump(bytes(there.messages.get(0)))).hasSize(2_000);
  }
}
