package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.rtransport.core.outcome.CloseCode;
import io.rtransport.core.outcome.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queues over real sockets: what is posted ends once, and what comes is answered once. */
@Timeout(60)
class RtQueuesTest extends QueueRig {
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

  /** A handler that is slow keeps its answer while the next one comes into the last place. */
  @Test
  void shouldKeepAnAnswerWhileItsHandlerRunsThoughTheNextOneComes() {
    RtQueues target = open(RtQueueConfig.defaults());
    RtQueues initiator = open(RtQueueConfig.defaults().postedMax(1));
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    List<ByteBuf> lent = new ArrayList<>();
    Recorder there =
        new Recorder() {
          @Override
          public void onRequest(RtQueueEntry entry) {
            ByteBuf answer = Unpooled.copiedBuffer(bytes("answer " + lent.size()));
            lent.add(answer);
            entry.connection().respond(entry.defer(), answer);
          }
        };
    int pulls = 5;
    Recorder here =
        new Recorder() {
          @Override
          public void onCompletion(RtQueueEntry entry) {
            long tag = entry.tag() + 1;
            if (tag < pulls) {
              assertThat(connection.submitPull(bytes("next"), 100, tag)).isNotNegative();
              long dueBefore = initiator.count(RtQueueCounter.INTERRUPTS_DUE);
              // Until its end is stored.
              long deadlineNs = System.nanoTime() + 3_000_000_000L;
              while (initiator.count(RtQueueCounter.INTERRUPTS_DUE) == dueBefore
                  && System.nanoTime() - deadlineNs < 0) {
                target.await(there, 64, Duration.ofMillis(1));
              }
            }
            super.onCompletion(entry);
          }
        };
    connection.submitPull(bytes("first"), 100, 0);
    until(initiator, here, target, there, () -> here.ends.size() == pulls);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    for (long tag = 0; tag < pulls; tag++) {
      assertThat(here.answers).containsEntry(tag, "answer " + tag);
    }
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

  /**
   * A consumer that stops polling for good holds back its own connections. Its event loop serves
   * another consumer meanwhile.
   */
  @Test
  void shouldServeAnotherConsumerOfTheLoopWhereOneNoLongerPolls() {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      RtQueues stuck = open(small().group(group, NioDatagramChannel::new));
      RtQueues lively = open(small().group(group, NioDatagramChannel::new));
      RtQueues initiator = open(RtQueueConfig.defaults());
      RtQueueConnection toStuck = initiator.connect(stuck.listen(ANY).localAddress());
      RtQueueConnection toLively = initiator.connect(lively.listen(ANY).localAddress());
      Recorder here = new Recorder();
      Recorder there = new Recorder();
      Recorder late = new Recorder();
      until(initiator, here, stuck, late, () -> here.open.size() == 2 && late.open.size() == 1);
      int count = 2_000;
      for (int i = 0; i < count; i++) {
        assertThat(push(toStuck, "stuck" + i, i)).isNotNegative();
        assertThat(push(toLively, "lively" + i, count + i)).isNotNegative();
      }
      until(initiator, here, lively, there, () -> there.messages.size() == count);
      until(initiator, here, lively, there, () -> here.ends.size() == count);
      assertThat(here.ends.keySet()).allMatch(tag -> tag >= count);
      assertThat(toStuck.posted()).isEqualTo(count);
      assertThat(here.closed).isEmpty();
      until(initiator, here, stuck, late, () -> here.ends.size() == 2 * count);
      assertThat(late.messages).hasSize(count);
      assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    } finally {
      opened.forEach(RtQueues::close);
      opened.clear();
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }
  }

  private static RtQueueConfig small() {
    return RtQueueConfig.defaults().inboundMax(4).inboundBytes(1 << 13);
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
