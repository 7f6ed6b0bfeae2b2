package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.parameter.ConnectionConfig;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Posts that are cancelled or have a deadline: each has one end, wherever it was. */
@Timeout(60)
class QueueCancelTest extends QueueRig {
  private static final int CANCELLED = CloseCode.CANCELLED.code();
  private static final int DEADLINE = CloseCode.DEADLINE.code();

  /** For a close where nobody answers. */
  private static final ConnectionConfig CLOSING_SOON =
      ConnectionConfig.builder().closeTimeoutNs(TimeUnit.MILLISECONDS.toNanos(500)).build();

  private static final Duration SOON = Duration.ofMillis(30);
  private static final Duration AFTER_ARRIVAL = Duration.ofSeconds(2);
  private static final Duration LATE = Duration.ofDays(1);

  /** Takes datagrams and answers none: a connection to it never opens. */
  private final DatagramSocket silent;

  private final Texts here = new Texts();
  private final Deferring there = new Deferring();

  QueueCancelTest() throws SocketException {
    silent = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void closeSocket() {
    silent.close();
  }

  private static final class Texts extends Recorder {
    private final Map<Long, String> texts = new HashMap<>();

    @Override
    public void onCompletion(RtQueueEntry entry) {
      super.onCompletion(entry);
      texts.put(entry.tag(), entry.text());
    }
  }

  /** Answers nothing until it is told to. */
  private static final class Deferring extends Recorder {
    private final List<Long> ids = new ArrayList<>();

    @Override
    public void onMessage(RtQueueEntry entry) {
      super.onMessage(entry);
      ids.add(entry.defer());
    }

    @Override
    public void onRequest(RtQueueEntry entry) {
      ids.add(entry.defer());
    }
  }

  private RtQueueConnection toNobody(RtQueues initiator) {
    return initiator.connect(
        new InetSocketAddress(silent.getLocalAddress(), silent.getLocalPort()));
  }

  /** Has the event loop of a connection stand still until the latch is opened, 20 s at most. */
  private static CountDownLatch holdLoop(RtQueueConnection connection) throws Exception {
    CountDownLatch stands = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    connection.link.queue.loop.submit(
        () -> {
          stands.countDown();
          return goesOn.await(20, TimeUnit.SECONDS);
        });
    stands.await();
    return goesOn;
  }

  private void untilHere(RtQueues initiator, BooleanSupplier holds) {
    until(initiator, here, initiator, here, holds);
  }

  private void assertGivenUp(long tag, Outcome outcome, CloseCode code) {
    assertThat(here.ends).containsEntry(tag, outcome);
    assertThat(here.codes).containsEntry(tag, code.code());
    assertThat(here.texts).containsEntry(tag, code.sentence());
  }

  /** Else a number that comes again after 2^31 posts would hide the deadlines behind it. */
  @Test
  void shouldNotStayBehindWherePostsHaveNoDeadlines() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    Recorder acknowledging = new Recorder();
    for (int i = 0; i < 10; i++) {
      push(connection, "m", i);
    }
    until(initiator, here, target, acknowledging, () -> here.ends.size() == 10);
    assertThat(connection.link.outgoing.givenUp.looked()).isPositive();
  }

  // ---- while they wait in the ring

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndWhatWaitsAtItsDeadlineWhereNobodyAnswers(boolean isNio) {
    RtQueueConfig config = RtQueueConfig.defaults().handshake(CLOSING_SOON);
    RtQueues initiator = open(isNio ? config.nio() : config);
    RtQueueConnection connection = toNobody(initiator);
    ByteBuf lent = Unpooled.wrappedBuffer(new byte[10]);
    ByteBuf kept = Unpooled.wrappedBuffer(new byte[10]);
    push(connection, "without", 1);
    connection.submitPush(null, lent, 2, SOON);
    connection.submitPush(bytes("abc"), 0, 3, 3, SOON);
    connection.submitPush(ByteBuffer.wrap(bytes("abc")), 0, 3, 4, SOON);
    connection.submitPull(bytes("h"), 3, 5, SOON);
    connection.submitPush(null, kept, 6, LATE);
    untilHere(initiator, () -> here.ends.size() == 4);
    for (long tag = 2; tag <= 5; tag++) {
      assertGivenUp(tag, Outcome.NOT_EXECUTED, CloseCode.DEADLINE);
    }
    assertThat(lent.refCnt()).isZero();
    assertThat(kept.refCnt()).isOne();
    assertThat(connection.posted()).isEqualTo(2);
    assertThat(here.closed).isEmpty();
    connection.submitPull(bytes("h"), 3, 7, Duration.ofNanos(1)); // earlier than the one that waits
    untilHere(initiator, () -> here.ends.size() == 5);
    assertGivenUp(7, Outcome.NOT_EXECUTED, CloseCode.DEADLINE);
    connection.close();
    untilHere(initiator, () -> !here.closed.isEmpty());
    assertThat(here.ends).hasSize(7);
    assertThat(here.endsTwice).isZero();
    assertThat(kept.refCnt()).isZero();
  }

  @Test
  void shouldCancelWhatWaitsThoughTheRingIsFull() {
    RtQueues initiator = open(RtQueueConfig.defaults().postedMax(4));
    RtQueueConnection connection = toNobody(initiator);
    ByteBuf lent = Unpooled.wrappedBuffer(new byte[10]);
    long first = push(connection, "a", 1);
    long second = connection.submitPush(null, lent, 2);
    push(connection, "c", 3);
    connection.submitPull(bytes("h"), 3, 4);
    assertThat(push(connection, "e", 5)).isEqualTo(RtQueueConnection.BACK_PRESSURED);
    assertThat(connection.cancel(second)).isTrue();
    assertThat(connection.cancel(second)).isTrue();
    untilHere(initiator, () -> here.ends.size() == 1);
    assertGivenUp(2, Outcome.NOT_EXECUTED, CloseCode.CANCELLED);
    assertThat(lent.refCnt()).isZero();
    assertThat(connection.posted()).isEqualTo(3);
    assertThat(push(connection, "e", 5)) // behind the first, its record keeps its place
        .isEqualTo(RtQueueConnection.BACK_PRESSURED);
    assertThat(connection.cancel(first)).isTrue();
    untilHere(initiator, () -> here.ends.size() == 2);
    assertThat(push(connection, "e", 5)).isNotNegative();
    assertThat(push(connection, "f", 6)).isNotNegative();
    assertThat(push(connection, "g", 7)).isEqualTo(RtQueueConnection.BACK_PRESSURED);
    for (long post = 2; post <= 5; post++) {
      connection.cancel(post);
    }
    untilHere(initiator, () -> here.ends.size() == 6);
    assertThat(new HashSet<>(here.codes.values())).containsExactly(CANCELLED);
    assertThat(here.endsTwice).isZero();
    for (int i = 10; i < 14; i++) { // no place is lost
      assertThat(push(connection, "m" + i, i)).isNotNegative();
    }
  }

  @Test
  void shouldSendNothingOfWhatWasCancelledBeforeItLeft() throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    untilBoth(initiator, target, () -> !here.open.isEmpty());
    CountDownLatch goesOn = holdLoop(connection);
    for (int i = 0; i < 10; i++) {
      push(connection, "m" + i, i);
    }
    for (int i = 1; i < 10; i += 2) {
      connection.cancel(i);
    }
    goesOn.countDown();
    untilBoth(initiator, target, () -> here.ends.size() + there.ids.size() == 10);
    there.ids.forEach(there.open.get(0)::acknowledge);
    untilBoth(initiator, target, () -> here.ends.size() == 10);
    for (int i = 0; i < 10; i++) {
      boolean isCancelled = i % 2 == 1;
      assertThat(there.messages.contains("m" + i)).isNotEqualTo(isCancelled);
      assertThat(here.ends)
          .containsEntry((long) i, isCancelled ? Outcome.NOT_EXECUTED : Outcome.COMPLETED);
    }
    assertThat(here.endsTwice).isZero();
  }

  @Test
  void shouldLookAtDeadlinesOfWhatWasNotFlushedAtTheFlush() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    untilBoth(initiator, target, () -> !here.open.isEmpty());
    connection.autoFlush(false);
    connection.submitPush(bytes("late"), 0, 4, 1, Duration.ofNanos(1));
    connection.submitPush(bytes("in time"), 0, 7, 2, LATE);
    connection.flush();
    untilBoth(initiator, target, () -> here.ends.size() + there.ids.size() == 2);
    assertGivenUp(1, Outcome.NOT_EXECUTED, CloseCode.DEADLINE);
    assertThat(there.messages).containsExactly("in time");
    there.open.get(0).acknowledge(there.ids.get(0)); // else the close waits for it
    untilBoth(initiator, target, () -> here.ends.size() == 2);
  }

  // ---- once they have begun

  private void untilBoth(RtQueues initiator, RtQueues target, BooleanSupplier holds) {
    until(initiator, here, target, there, holds);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGiveUpAPullThatThePeersApplicationHasSeen(boolean isOrdered) {
    ConnectionConfig handshake = ConnectionConfig.builder().ordered(isOrdered).build();
    RtQueues target = open(RtQueueConfig.defaults().handshake(handshake));
    RtQueues initiator = open(RtQueueConfig.defaults().handshake(handshake));
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    untilBoth(initiator, target, () -> !here.open.isEmpty());
    connection.submitPull(bytes("a"), 100, 1, AFTER_ARRIVAL);
    long second = connection.submitPull(bytes("b"), 100, 2);
    untilBoth(initiator, target, () -> there.ids.size() == 2);
    assertThat(connection.cancel(second)).isTrue();
    untilBoth(initiator, target, () -> here.ends.size() == 2);
    assertGivenUp(1, Outcome.UNKNOWN, CloseCode.DEADLINE);
    assertThat(here.ends).containsEntry(2L, Outcome.UNKNOWN);
    assertThat(here.codes).containsEntry(2L, CANCELLED);
    there.open.get(0).respond(there.ids.get(0), Unpooled.wrappedBuffer(bytes("late")));
    there.open.get(0).respond(there.ids.get(1), Unpooled.wrappedBuffer(bytes("late")));
    push(connection, "next", 3);
    untilBoth(initiator, target, () -> there.ids.size() == 3);
    there.open.get(0).acknowledge(there.ids.get(2));
    untilBoth(initiator, target, () -> here.ends.size() == 3);
    assertThat(here.ends).containsEntry(3L, Outcome.COMPLETED);
    assertThat(here.answers).isEmpty();
    assertThat(connection.posted()).isZero();
  }

  /** The peer's event loop stands still, so it grants nothing: the request alone has left. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGiveUpAPushThatThePeersApplicationHasNotGot(boolean isByDeadline) throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    push(connection, "first", 1);
    untilBoth(initiator, target, () -> there.ids.size() == 1);
    there.open.get(0).acknowledge(there.ids.get(0));
    untilBoth(initiator, target, () -> here.ends.size() == 1);
    CountDownLatch goesOn = holdLoop(there.open.get(0));
    ByteBuf lent = Unpooled.wrappedBuffer(new byte[1 << 20]);
    if (isByDeadline) {
      connection.submitPush(bytes("h"), lent, 2, AFTER_ARRIVAL);
    } else {
      long post = connection.submitPush(bytes("h"), lent, 2);
      untilHere(initiator, () -> connection.rings.submissions.isEmpty());
      assertThat(connection.cancel(post)).isTrue();
    }
    untilHere(initiator, () -> lent.refCnt() == 0);
    assertThat(here.ends).hasSize(1); // the peer's answer decides
    goesOn.countDown();
    untilBoth(initiator, target, () -> here.ends.size() == 2);
    assertGivenUp(2, Outcome.NOT_EXECUTED, isByDeadline ? CloseCode.DEADLINE : CloseCode.CANCELLED);
    assertThat(there.messages).containsExactly("first");
    assertThat(here.closed).isEmpty();
  }

  @Test
  void shouldEndNormallyWhereThePeersApplicationHasThePush() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    untilBoth(initiator, target, () -> !here.open.isEmpty());
    long post = push(connection, "short", 1);
    connection.submitPush(bytes("deadline"), 0, 8, 2, AFTER_ARRIVAL);
    untilBoth(initiator, target, () -> there.ids.size() == 2);
    assertThat(connection.cancel(post)).isTrue();
    long third = push(connection, "behind the cancel", 3);
    untilBoth(initiator, target, () -> there.ids.size() == 3);
    long dueNs = System.nanoTime() + AFTER_ARRIVAL.toNanos();
    untilBoth(initiator, target, () -> System.nanoTime() - dueNs > 0);
    there.ids.forEach(there.open.get(0)::acknowledge);
    untilBoth(initiator, target, () -> here.ends.size() == 3);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(third).isEqualTo(2);
    assertThat(connection.posted()).isZero();
  }

  /** Deadlines that come later than the end change nothing. */
  @Test
  void shouldEndOnceWhereTheDeadlineIsLater() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    Recorder acknowledging = new Recorder();
    int count = 500;
    for (int i = 0; i < count; i++) {
      byte[] bytes = bytes("m" + i);
      Duration deadline = i % 2 == 0 ? LATE : Duration.ofSeconds(10);
      assertThat(connection.submitPush(bytes, 0, bytes.length, i, deadline)).isEqualTo(i);
    }
    until(initiator, here, target, acknowledging, () -> here.ends.size() == count);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(acknowledging.messages).hasSize(count);
    assertThat(here.endsTwice).isZero();
  }

  /** The end of the peer's input has no place of its own where a request keeps the last one. */
  @Test
  void shouldHearOfThePeersEndBehindARequestThatItHasGivenUp() {
    RtQueues target = open(RtQueueConfig.defaults().inboundMax(1));
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    List<String> heard = new ArrayList<>();
    RtQueueHandler hearing =
        new RtQueueHandler() {
          @Override
          public void onCompletion(RtQueueEntry entry) {}

          @Override
          public void onRequest(RtQueueEntry entry) {
            entry.defer(); // for good
            heard.add("request");
          }

          @Override
          public void onPeerFinished(RtQueueConnection of) {
            heard.add("finished");
          }

          @Override
          public void onClosed(RtQueueConnection of, CloseReason reason) {
            heard.add("closed by " + reason.code());
          }
        };
    long post = connection.submitPull(bytes("h"), 10, 1);
    until(initiator, here, target, hearing, () -> heard.size() == 1);
    connection.cancel(post);
    until(initiator, here, target, hearing, () -> here.ends.size() == 1);
    connection.close();
    until(initiator, here, target, hearing, () -> heard.contains("closed by 0"));
    assertThat(heard).containsExactly("request", "finished", "closed by 0");
  }

  // ---- too late, and never

  @Test
  void shouldAnswerACancelOfWhatHasEnded() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    Recorder acknowledging = new Recorder();
    long first = push(connection, "a", 1);
    while (connection.rings.completions.unstored() > 0) { // its end is stored, and not polled
      target.await(acknowledging, 64, Duration.ofMillis(1));
    }
    assertThat(connection.cancel(first)).isTrue();
    until(initiator, here, target, acknowledging, () -> here.ends.size() == 1);
    assertThat(here.ends).containsEntry(1L, Outcome.COMPLETED);
    assertThat(connection.posted()).isZero();
    assertThat(connection.cancel(first)).isFalse();
    assertThat(connection.cancel(17)).isFalse();
    push(connection, "b", 2);
    connection.cancel(first);
    connection.cancel(17);
    until(initiator, here, target, acknowledging, () -> here.ends.size() == 2);
    assertThat(here.ends).containsEntry(2L, Outcome.COMPLETED);
    assertThat(here.endsTwice).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndEachPostOnceWhereAThreadCancelsAndAnotherCloses(boolean isAnswering)
      throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueueConfig config = RtQueueConfig.defaults();
    RtQueues initiator = open(isAnswering ? config : config.handshake(CLOSING_SOON));
    InetSocketAddress address = target.listen(ANY).localAddress();
    for (int round = 0; round < (isAnswering ? 20 : 2); round++) {
      RtQueueConnection connection = isAnswering ? initiator.connect(address) : toNobody(initiator);
      Texts ends = new Texts();
      Recorder acknowledging = new Recorder();
      int count = 200;
      List<ByteBuf> lent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[10]);
        lent.add(payload);
        assertThat(connection.submitPush(null, payload, i, i % 3 == 0 ? SOON : LATE)).isEqualTo(i);
      }
      Thread cancels =
          new Thread(
              () -> {
                for (int i = 0; i < count; i += 2) {
                  connection.cancel(i);
                }
              });
      Thread closes = new Thread(connection::close);
      cancels.start();
      closes.start();
      until(initiator, ends, target, acknowledging, () -> !ends.closed.isEmpty());
      cancels.join();
      closes.join();
      assertThat(ends.ends).as("round %s", round).hasSize(count);
      assertThat(ends.endsTwice).isZero();
      assertThat(lent).allMatch(buffer -> buffer.refCnt() == 0);
      assertThat(connection.posted()).isZero();
      assertThat(connection.cancel(1)).isFalse();
    }
  }

  // ---- threads and bad values

  @Test
  void shouldCancelFromAnyThreadAndFromAHandler() throws Exception {
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = toNobody(initiator);
    long first = push(connection, "a", 1);
    long second = push(connection, "b", 2);
    push(connection, "c", 3);
    Throwable[] thrown = new Throwable[1];
    Thread other =
        new Thread(
            () -> {
              connection.cancel(first);
              try {
                initiator.poll(here, 1);
              } catch (RuntimeException e) {
                thrown[0] = e;
              }
            });
    other.start();
    other.join();
    assertThat(thrown[0]).isInstanceOf(IllegalStateException.class); // polling is the consumer's
    Recorder handler =
        new Recorder() {
          @Override
          public void onCompletion(RtQueueEntry entry) {
            super.onCompletion(entry);
            entry.connection().cancel(second);
            assertThatIllegalStateException().isThrownBy(() -> initiator.poll(this, 1));
          }
        };
    until(initiator, handler, initiator, handler, () -> handler.ends.size() == 2);
    assertThat(handler.codes).containsOnlyKeys(1L, 2L).containsValue(CANCELLED);
    assertThat(connection.posted()).isOne();
  }

  @Test
  void shouldNameTheValueAndItsRange() {
    RtQueues initiator = open(RtQueueConfig.defaults());
    RtQueueConnection connection = toNobody(initiator);
    ByteBuf lent = Unpooled.wrappedBuffer(new byte[10]);
    String range = ", valid: PT0.000000001S..PT8760H";
    for (Duration wrong :
        List.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofDays(365).plusNanos(1))) {
      String message = "deadline=" + wrong + range;
      assertThatIllegalArgumentException()
          .isThrownBy(() -> connection.submitPush(bytes("a"), 0, 1, 1, wrong))
          .withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> connection.submitPush(ByteBuffer.allocate(1), 0, 1, 1, wrong))
          .withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> connection.submitPush(null, lent, 1, wrong))
          .withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> connection.submitPull(bytes("a"), 1, 1, wrong))
          .withMessage(message);
    }
    assertThatNullPointerException()
        .isThrownBy(() -> connection.submitPull(bytes("a"), 1, 1, null))
        .withMessage("deadline");
    for (long wrong : new long[] {-1, RtQueueConnection.CLOSED, 1L << 31}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> connection.cancel(wrong))
          .withMessage("post=" + wrong + ", valid: 0..2147483647");
    }
    assertThat(connection.posted()).isZero();
    assertThat(lent.refCnt()).isOne();
    assertThat(connection.submitPush(null, lent, 1, Duration.ofDays(365))).isZero();
    assertThat(connection.cancel(0)).isTrue();
    untilHere(initiator, () -> here.ends.size() == 1);
    assertThat(here.codes).containsEntry(1L, CANCELLED).doesNotContainValue(DEADLINE);
  }
}
