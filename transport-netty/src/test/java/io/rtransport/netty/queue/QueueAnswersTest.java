package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import io.rtransport.core.queue.Claim;
import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers that come late, twice or too long, and calls at a wrong moment. */
@Timeout(60)
class QueueAnswersTest extends QueueRig {
  /** Answers nothing by itself. */
  private static class Deferring extends Recorder {
    final List<Long> deferred = new ArrayList<>();
    RtQueues target;

    @Override
    public void onMessage(RtQueueEntry entry) {
      super.onMessage(entry);
      deferred.add(entry.defer());
    }

    @Override
    public void onRequest(RtQueueEntry entry) {
      deferred.add(entry.defer());
    }
  }

  /** A close does not wait long for what is never answered. */
  private static RtQueueConfig config() {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(200);
    return RtQueueConfig.defaults()
        .handshake(ConnectionConfig.builder().closeTimeoutNs(timeoutNs).build());
  }

  private final RtQueues initiator = open(config());
  private final Recorder here = new Recorder();
  private final Deferring there = new Deferring();

  private RtQueueConnection connectTo(RtQueues target) {
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    until(initiator, here, target, there, () -> !here.open.isEmpty() && !there.open.isEmpty());
    return connection;
  }

  private static void pushLong(RtQueueConnection connection, long tag) {
    ByteBuf payload = Unpooled.wrappedBuffer(new byte[300_000]);
    assertThat(connection.submitPush(null, payload, tag)).isNotNegative();
  }

  private static List<ByteBuf> lentBuffers(RtQueueConnection connection) {
    return Arrays.stream(connection.rings.lent).filter(Objects::nonNull).toList();
  }

  /** Bytes that a poll frees make room, though nothing is answered. */
  @Test
  void shouldGoOnWhereAllIsDeferred() {
    RtQueues target = open(config().inboundBytes(1 << 13));
    RtQueueConnection connection = connectTo(target);
    for (int i = 0; i < 64; i++) {
      assertThat(connection.submitPush(new byte[1_000], 0, 1_000, i)).isNotNegative();
    }
    until(initiator, here, target, there, () -> there.deferred.size() == 64);
    assertThat(here.ends).isEmpty();
  }

  private enum Kind {
    SHORT_MESSAGE,
    LONG_MESSAGE,
    REQUEST
  }

  private void begin(Kind kind, RtQueueConnection connection, long tag) {
    switch (kind) {
      case SHORT_MESSAGE -> push(connection, "short", tag);
      case LONG_MESSAGE -> pushLong(connection, tag);
      case REQUEST -> connection.submitPull(new byte[1], 10, tag);
    }
    int before = there.deferred.size();
    until(initiator, here, there.target, there, () -> there.deferred.size() > before);
  }

  /** Answers once; later ones are refused, and reach neither that entry nor others. */
  @ParameterizedTest
  @EnumSource
  void shouldRefuseASecondAnswer(Kind kind) {
    RtQueues target = open(config());
    there.target = target;
    RtQueueConnection connection = connectTo(target);
    RtQueueConnection accepted = there.open.get(0);
    begin(kind, connection, 1);
    begin(kind, connection, 2);
    long first = there.deferred.get(0);
    answer(kind, accepted, first);
    refused("fail", first, () -> accepted.fail(first, 400, "no"));
    until(initiator, here, target, there, () -> here.ends.size() == 1);
    begin(kind, connection, 3); // a long one has the place of the first
    if (kind == Kind.REQUEST) {
      ByteBuf again = Unpooled.wrappedBuffer(new byte[3]);
      refused("respond", first, () -> accepted.respond(first, again));
      assertThat(again.refCnt()).isOne();
    } else {
      refused("acknowledge", first, () -> accepted.acknowledge(first));
    }
    begin(kind, connection, 4); // comes behind those answers
    assertThat(here.ends).containsExactly(Map.entry(1L, Outcome.COMPLETED));
    for (int i = 1; i < 4; i++) {
      answer(kind, accepted, there.deferred.get(i));
    }
    until(initiator, here, target, there, () -> here.ends.size() == 4);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    until(initiator, here, target, there, () -> lentBuffers(accepted).isEmpty());
  }

  private static void answer(Kind kind, RtQueueConnection accepted, long id) {
    if (kind == Kind.REQUEST) {
      accepted.respond(id, Unpooled.wrappedBuffer(new byte[3]));
    } else {
      accepted.acknowledge(id);
    }
  }

  private static void refused(String verb, long id, Runnable call) {
    assertThatIllegalStateException()
        .isThrownBy(call::run)
        .withMessage("%s of id=%d, valid: an entry that is deferred, once", verb, id);
  }

  @Test
  void shouldRefuseAnAnswerOfTheWrongKind() {
    RtQueues target = open(config());
    there.target = target;
    RtQueueConnection connection = connectTo(target);
    RtQueueConnection accepted = there.open.get(0);
    begin(Kind.SHORT_MESSAGE, connection, 1);
    begin(Kind.REQUEST, connection, 2);
    long message = there.deferred.get(0);
    long request = there.deferred.get(1);
    ByteBuf payload = Unpooled.wrappedBuffer(new byte[3]);
    assertThatIllegalStateException()
        .isThrownBy(() -> accepted.respond(message, payload))
        .withMessage("respond of id=%d, valid: a request", message);
    assertThatIllegalStateException()
        .isThrownBy(() -> accepted.acknowledge(request))
        .withMessage("acknowledge of id=%d, valid: a message", request);
    accepted.acknowledge(message);
    accepted.respond(request, payload);
    until(initiator, here, target, there, () -> here.ends.size() == 2);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
  }

  @Test
  void shouldFailARequestWhoseAnswerIsTooLong() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    connection.submitPull(new byte[1], 10, 1);
    until(initiator, here, target, there, () -> there.deferred.size() == 1);
    ByteBuf answer = Unpooled.wrappedBuffer(new byte[11]);
    there.open.get(0).respond(there.deferred.get(0), answer);
    until(initiator, here, target, there, () -> here.ends.size() == 1);
    assertThat(here.codes).containsEntry(1L, CloseCode.APPLICATION_ERROR.code());
    assertThat(answer.refCnt()).isZero();
    assertThat(there.closed).isEmpty();
  }

  /** What was deferred and lent is released at the end, and what is answered after it too. */
  @Test
  void shouldReleaseWhatIsNotAnsweredBeforeTheEnd() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    pushLong(connection, 1);
    connection.submitPull(new byte[1], 10, 2);
    until(initiator, here, target, there, () -> there.deferred.size() == 2);
    RtQueueConnection accepted = there.open.get(0);
    ByteBuf lent = lentBuffers(accepted).get(0);
    assertThat(lent.refCnt()).isOne();
    accepted.close();
    until(initiator, here, target, there, () -> !there.closed.isEmpty() && !here.closed.isEmpty());
    until(initiator, here, target, there, () -> lent.refCnt() == 0);
    ByteBuf late = Unpooled.wrappedBuffer(new byte[1]);
    accepted.respond(there.deferred.get(1), late);
    assertThat(late.refCnt()).isZero();
  }

  @Test
  void shouldRefuseACloseFromAHandlerAndCloseLater() {
    RtQueues target = RtQueues.open(config());
    RtQueueConnection connection = connectTo(target);
    Throwable[] thrown = {null};
    Recorder closes =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            try {
              target.close();
            } catch (IllegalStateException e) {
              thrown[0] = e;
            }
          }
        };
    push(connection, "x", 1);
    until(initiator, here, target, closes, () -> thrown[0] != null);
    assertThat(thrown[0]).hasMessage("close from a handler of these queues, valid: outside");
    target.close();
    until(initiator, here, initiator, here, () -> !here.closed.isEmpty());
  }

  @Test
  void shouldCloseConnectionsThatNobodyHasSeen() {
    RtQueues target = RtQueues.open(config());
    initiator.connect(target.listen(ANY).localAddress());
    until(
        initiator,
        here,
        initiator,
        here,
        () -> !here.open.isEmpty() && target.count(RtQueueCounter.EVENTS_DUE) > 0);
    target.close();
    until(initiator, here, initiator, here, () -> !here.closed.isEmpty());
    assertThat(here.closed.get(0).code()).isEqualTo(CloseCode.NORMAL.code());
  }

  @Test
  void shouldTellAPeerThatTheConsumerHasNoRoomForItsConnection() {
    RtQueues target = open(config().connectionsMax(1));
    InetSocketAddress address = target.listen(ANY).localAddress();
    initiator.connect(address);
    until(initiator, here, target, there, () -> here.open.size() == 1 && there.open.size() == 1);
    initiator.connect(address);
    until(initiator, here, target, there, () -> !here.closed.isEmpty());
    assertThat(here.closed.get(0).code()).isEqualTo(CloseCode.APPLICATION_CODE_MIN);
    assertThat(here.closed.get(0).text()).isEqualTo("the consumer has no room for a connection");
    assertThat(there.open).hasSize(1);
    assertThat(there.closed).isEmpty();
  }

  /** The view is the queues', and valid in the handler alone. */
  @Test
  void shouldRefuseADeferThatComesAfterTheHandler() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    RtQueueEntry[] kept = {null};
    Recorder keeps =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            kept[0] = entry;
          }
        };
    push(connection, "x", 1);
    until(initiator, here, target, keeps, () -> here.ends.size() == 1);
    assertThatIllegalStateException()
        .isThrownBy(() -> kept[0].defer())
        .withMessage("answered already, valid: one answer to each entry");
  }

  /**
   * A pull that is given up frees its place in the core, so its peer may begin another one. The
   * consumer answers nothing meanwhile.
   */
  @Test
  void shouldBoundTheRequestsThatWereGivenUpBeforeTheyWereHandedOver() {
    long timeoutNs = TimeUnit.MILLISECONDS.toNanos(200);
    ConnectionConfig few =
        ConnectionConfig.builder().closeTimeoutNs(timeoutNs).outstandingMax(16).build();
    RtQueues target = open(config().handshake(few).inboundMax(16));
    RtQueueConnection connection = connectTo(target);
    for (int i = 0; i < 200; i++) {
      connection.submitPull(new byte[1], 10, i);
      int count = i + 1;
      until(initiator, here, target, there, () -> delivered(there.open.get(0)) == count);
      connection.cancel(i);
      until(initiator, here, target, there, () -> here.ends.size() == count);
    }
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.UNKNOWN);
    int[] handedOver = {0};
    Recorder rest =
        new Recorder() {
          @Override
          public void onRequest(RtQueueEntry entry) {
            handedOver[0]++;
          }
        };
    push(connection, "the last one", 200);
    there.deferred.forEach(id -> there.open.get(0).fail(id, 400, ""));
    until(initiator, here, target, rest, () -> !rest.messages.isEmpty());
    assertThat(handedOver[0]).isBetween(1, 2 * 16 + 1);
  }

  private static long delivered(RtQueueConnection accepted) {
    QueueLink link = accepted.link;
    return link.queue
        .loop
        .submit(() -> link.connection().counters().value(CounterId.REQUESTS_DELIVERED))
        .syncUninterruptibly()
        .getNow();
  }

  /** Until the first byte of a message has come, its length is only a number of the peer's. */
  @Test
  void shouldAllocateNoMoreForLongMessagesThanIsGranted() {
    UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    RtQueues target = open(config().channels(channel -> channel.config().setAllocator(alloc)));
    RtQueueConnection connection = connectTo(target);
    long[] most = {0};
    Recorder measures =
        new Recorder() {
          @Override
          public void onMessage(RtQueueEntry entry) {
            messages.add("");
          }
        };
    int count = 40;
    byte[] bytes = new byte[8 << 20];
    for (int i = 0; i < count; i++) {
      assertThat(connection.submitPush(null, Unpooled.wrappedBuffer(bytes), i)).isNotNegative();
    }
    until(
        initiator,
        here,
        target,
        measures,
        () -> {
          most[0] = Math.max(most[0], alloc.metric().usedDirectMemory());
          return measures.messages.size() == count;
        });
    assertThat(most[0]).isBetween(8L << 20, 2 * Limits.SOLICITATION_BUDGET_BYTES);
  }

  /** Who is interrupted sleeps for the end of the connections all the same. */
  @Test
  void shouldNotSpinWhereAnInterruptedThreadCloses() {
    long timeoutNs = TimeUnit.SECONDS.toNanos(1);
    RtQueues patient =
        open(
            RtQueueConfig.defaults()
                .handshake(ConnectionConfig.builder().closeTimeoutNs(timeoutNs).build()));
    RtQueues target = open(config());
    RtQueueConnection connection = patient.connect(target.listen(ANY).localAddress());
    connection.submitPull(new byte[1], 10, 1);
    until(patient, here, target, there, () -> there.deferred.size() == 1);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long startNs = System.nanoTime();
    long startCpuNs = threads.getCurrentThreadCpuTime();
    Thread.currentThread().interrupt();
    patient.close(); // waits for the answer for the close timeout
    long cpuNs = threads.getCurrentThreadCpuTime() - startCpuNs;
    assertThat(Thread.interrupted()).isTrue();
    assertThat(System.nanoTime() - startNs).isGreaterThan(900_000_000L);
    assertThat(cpuNs).isLessThan(100_000_000L);
  }

  /** A producer is stopped between its claim and its record. */
  @Test
  void shouldEndAPostThatIsPublishedAfterTheFinish() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    assertThat(connection.rings.completions.tryPost(1)).isEqualTo(Claim.TAKEN);
    boolean[] isFinished = {false};
    Recorder hears =
        new Recorder() {
          @Override
          public void onPeerFinished(RtQueueConnection of) {
            isFinished[0] = true;
          }
        };
    connection.finish();
    until(initiator, here, target, hears, () -> isFinished[0]);
    long claim = connection.rings.submissions.tryClaim(8);
    connection.rings.submissions.publish(claim, ConnectionRings.COPIED, 7, 0, 8, null);
    connection.ring();
    until(initiator, here, target, hears, () -> here.ends.size() == 1);
    assertThat(here.ends).containsEntry(7L, Outcome.NOT_EXECUTED);
  }

  /** A limit of 1 holds for the rest of a connection that has ended too. */
  @Test
  void shouldObeyTheLimitAtTheEnd() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    for (int i = 0; i < 10; i++) {
      push(connection, "m", i);
    }
    connection.close();
    Recorder both = new Recorder();
    until(target, both, target, both, () -> !both.closed.isEmpty());
    int polls = 0;
    while (here.closed.isEmpty()) {
      int before = here.ends.size();
      initiator.await(here, 1, Duration.ofMillis(20));
      polls++;
      assertThat(here.ends.size() - before).isLessThanOrEqualTo(1);
    }
    assertThat(here.ends).hasSize(10);
    assertThat(polls).isGreaterThanOrEqualTo(10);
  }

  @Test
  void shouldCheckWhatItIsGivenBeforeItClaims() {
    RtQueues target = open(config());
    RtQueueConnection connection = connectTo(target);
    ByteBuffer limited = ByteBuffer.allocate(100).limit(10);
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> connection.submitPush(limited, 0, 50, 1));
    assertThat(connection.posted()).isZero();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> initiator.await(here, 1, Duration.ofDays(200_000)))
        .withMessageContaining("valid: 0 to a day");
    assertThatIllegalStateException().isThrownBy(() -> connection.acknowledge(1));
    RtQueues closed = RtQueues.open(config());
    closed.close();
    closed.delay(Duration.ofMillis(1)); // of no effect
    RtQueues one = open(config().connectionsMax(1));
    assertThatNullPointerException().isThrownBy(() -> one.connect(null)).withMessage("remote");
    one.connect(target.listen(ANY).localAddress()); // its place is free
  }

  /**
   * The room of a run of entries is free before the first is handed over. So answers to pulls that
   * a handler posts may come while those of the same run wait for theirs.
   */
  @Test
  void shouldGiveEachPullItsOwnAnswerThoughAHandlerPostsManyAndIsSlow() throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues puller = open(RtQueueConfig.defaults().postedMax(4));
    RtQueueConnection connection = puller.connect(target.listen(ANY).localAddress());
    AtomicBoolean isOver = new AtomicBoolean();
    Thread server = new Thread(() -> answerByHeader(target, isOver));
    server.start();
    opened.remove(target); // its thread closes it
    Map<Long, String> answers = new TreeMap<>();
    RtQueueHandler slow =
        new RtQueueHandler() {
          @Override
          public void onCompletion(RtQueueEntry entry) {
            if (answers.isEmpty()) {
              long stored = puller.storedCount();
              pull(connection, 4, 8);
              awaitStored(puller, stored + 4);
            }
            answers.put(entry.tag(), entry.buffer() == null ? "none" : text(entry));
          }
        };
    long stored = puller.storedCount();
    pull(connection, 0, 4);
    awaitStored(puller, stored + 4);
    long deadlineNs = System.nanoTime() + 10_000_000_000L;
    while (answers.size() < 8 && System.nanoTime() - deadlineNs < 0) {
      puller.await(slow, 64, Duration.ofMillis(1));
    }
    isOver.set(true);
    server.join();
    assertThat(answers)
        .isEqualTo(
            LongStream.range(0, 8).boxed().collect(Collectors.toMap(i -> i, i -> "answer " + i)));
  }

  private static void answerByHeader(RtQueues target, AtomicBoolean isOver) {
    RtQueueHandler echo =
        new RtQueueHandler() {
          @Override
          public void onCompletion(RtQueueEntry entry) {}

          @Override
          public void onRequest(RtQueueEntry entry) {
            byte[] header = new byte[entry.headerLength()];
            entry.buffer().get(entry.headerOffset(), header);
            entry.connection().respond(entry.defer(), Unpooled.wrappedBuffer(header));
          }
        };
    while (!isOver.get()) {
      target.await(echo, 64, Duration.ofMillis(5));
    }
    target.close();
  }

  private static void pull(RtQueueConnection connection, int from, int to) {
    for (int i = from; i < to; i++) {
      assertThat(connection.submitPull(bytes("answer " + i), 100, i)).isNotNegative();
    }
  }

  private static void awaitStored(RtQueues queues, long count) {
    long deadlineNs = System.nanoTime() + 10_000_000_000L;
    while (queues.storedCount() < count && System.nanoTime() - deadlineNs < 0) {
      Thread.yield();
    }
  }
}
