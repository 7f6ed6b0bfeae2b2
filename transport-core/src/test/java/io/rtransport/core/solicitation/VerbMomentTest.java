package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Verbs at moments that one might not expect. */
class VerbMomentTest {
  private VerbPair pair;
  private final List<String> said = new ArrayList<>();

  private void start(boolean isOrdered) {
    pair = new VerbPair(new SplittableRandom(3), isOrdered, 64 << 20, 64);
    pair.right.consumer =
        e -> {
          if (e.kind() == Kind.REQUESTED) {
            pair.right.respond(e.rsn(), e.buffer().getLong(0), e.buffer().getInt(8));
          }
        };
    pair.left.consumer =
        e -> {
          said.add(e.kind() + "");
          if (e.kind() == Kind.OPENED) {
            pair.left.solicitation.sinks().acceptAnswer(e.rsn(), 5, Long.MAX_VALUE);
          } else if (e.kind() == Kind.BYTES) {
            pair.left.solicitation.sinks().takenOfPull(e.rsn(), e.length());
          }
        };
  }

  private void endBoth() {
    pair.left.solicitation.endAll(5, "");
    pair.left.drain();
    pair.right.solicitation.endAll(5, "");
    pair.right.drain();
    assertThat(pair.budgets.solicitation().pullBytes()).isZero();
    assertThat(pair.resources.transactions().inUse()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000, 200_000})
  void shouldForgetAPullThatIsCancelledWhileItsAnswerOpens(int length) {
    start(true);
    var before = pair.left.consumer;
    pair.left.consumer =
        e -> {
          if (e.kind() == Kind.OPENED) {
            pair.left.transactions.cancel(e.rsn());
          }
          before.on(e);
        };
    pair.left.pull(length);
    pair.settle();
    assertThat(said).contains("OPENED");
    endBoth();
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 20_000, 200_000})
  void shouldEndWhileAnAnswerOpens(int length) {
    start(true);
    pair.left.pull(length);
    pair.left.consumer =
        e -> {
          said.add(e.kind() + "");
          if (e.kind() == Kind.OPENED) {
            pair.left.solicitation.endAll(5, "");
          }
        };
    pair.settle();
    assertThat(said).contains("OPENED");
    endBoth();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 20_000, 200_000})
  void shouldFailAPullWhoseSinkFailsBeforeItsFirstByte(int length) {
    start(true);
    pair.left.pull(length);
    pair.left.consumer =
        e -> {
          said.add(e.kind() + "");
          if (e.kind() == Kind.OPENED) {
            pair.left.solicitation.sinks().acceptAnswer(e.rsn(), 5, Long.MAX_VALUE);
            pair.left.solicitation.sinks().failAnswerSink(e.rsn());
          } else if (e.kind() == Kind.ENDED) {
            assertThat(e.outcome()).isEqualTo(Outcome.FAILED);
          }
        };
    pair.settle();
    assertThat(said).containsExactly("OPENED", "ENDED");
    endBoth();
  }

  /** The answer is whole, and waits for its turn: the disk below the sink fails now. */
  @Test
  void shouldFailAPullWhoseSinkFailsWhileItsEndWaits() {
    start(true);
    var respond = pair.right.consumer;
    long[] first = {-1};
    pair.right.consumer =
        e -> {
          if (e.kind() == Kind.REQUESTED && first[0] < 0) {
            first[0] = e.rsn();
          } else {
            respond.on(e);
          }
        };
    pair.left.pull(100);
    pair.left.pull(100);
    pair.settle();
    assertThat(said).containsExactly("OPENED", "BYTES");
    pair.left.solicitation.sinks().failAnswerSink(Integer.toUnsignedLong(VerbPair.RSN + 1));
    pair.settle();
    List<String> ends = new ArrayList<>();
    var answering = pair.left.consumer;
    pair.left.consumer =
        e -> {
          answering.on(e);
          if (e.kind() == Kind.ENDED) {
            ends.add(e.tag() + " " + e.outcome());
          }
        };
    pair.right.respond(first[0], 0, 100);
    pair.settle();
    assertThat(ends).containsExactly("0 COMPLETED", "1 FAILED");
    endBoth();
  }

  /** The same without order: between its end and its being told. */
  @Test
  void shouldGiveOneEndWhereASinkFailsBehindOtherEnds() {
    start(false);
    pair.left.pull(100);
    pair.left.pull(100);
    pair.left.push(100);
    List<String> ends = new ArrayList<>();
    var before = pair.left.consumer;
    pair.right.consumer =
        e -> {
          if (e.kind() == Kind.REQUESTED) {
            pair.right.respond(e.rsn(), e.buffer().getLong(0), e.buffer().getInt(8));
          } else if (e.kind() == Kind.OPENED) {
            pair.right.solicitation.sinks().accept(e.rsn(), 1, false, Long.MAX_VALUE);
          } else if (e.kind() == Kind.DELIVERED) {
            pair.right.transactions.inbound().acknowledge(Integer.toUnsignedLong(VerbPair.RSN + 2));
          }
        };
    pair.left.consumer =
        e -> {
          before.on(e);
          if (e.kind() != Kind.ROOM) {
            pair.left.solicitation.sinks().failAnswerSink(Integer.toUnsignedLong(VerbPair.RSN));
            pair.left.solicitation.sinks().failAnswerSink(Integer.toUnsignedLong(VerbPair.RSN + 1));
          }
          if (e.kind() == Kind.ENDED) {
            ends.add(e.tag() + " " + e.outcome());
          }
        };
    pair.settle();
    assertThat(ends).hasSize(3);
    endBoth();
  }

  /** A push that waits for its turn: the disk below its sink fails now. */
  @Test
  void shouldFailAPushWhoseSinkFailsBeforeItsTurn() {
    start(true);
    List<String> heard = new ArrayList<>();
    pair.left.consumer = e -> said.add(e.kind() + " " + e.outcome());
    pair.right.consumer =
        e -> {
          heard.add(e.kind() + " " + e.rsn());
          if (e.kind() == Kind.OPENED && heard.size() > 1) {
            pair.right.solicitation.sinks().accept(e.rsn(), 1, false, Long.MAX_VALUE);
          } else if (e.kind() == Kind.BYTES) {
            pair.right.solicitation.sinks().taken(e.rsn(), e.length());
          }
        };
    pair.left.push(100);
    pair.left.push(100);
    pair.settle();
    long second = Integer.toUnsignedLong(VerbPair.RSN + 1);
    pair.right.solicitation.sinks().failSink(second); // whole, but not delivered
    pair.right.solicitation.sinks().refuse(Integer.toUnsignedLong(VerbPair.RSN), 9, false);
    pair.settle();
    pair.right.transactions.inbound().acknowledge(second);
    pair.settle();
    assertThat(said).as(heard.toString()).containsExactly("ENDED FAILED", "ENDED NOT_EXECUTED");
    endBoth();
  }

  /** Put off, cancelled by its initiator, and accepted only then. */
  @Test
  void shouldSayThatAPushIsGoneThatIsAcceptedTooLate() {
    start(true);
    List<String> heard = new ArrayList<>();
    pair.right.consumer = e -> heard.add(e.kind() + "");
    pair.left.consumer = e -> said.add(e.kind() + "");
    pair.left.push(20_000);
    pair.settle();
    pair.left.transactions.cancel(Integer.toUnsignedLong(VerbPair.RSN));
    pair.settle();
    assertThat(said).containsExactly("SOURCE_RELEASED", "ENDED");
    long rsn = Integer.toUnsignedLong(VerbPair.RSN);
    assertThat(pair.right.solicitation.sinks().accept(rsn, 77, false, Long.MAX_VALUE)).isFalse();
    pair.settle();
    assertThat(heard).as("nothing names the handle").containsExactly("OPENED");
  }

  /** Bytes stay where they are until the next poll, whatever is said of the message. */
  @Test
  void shouldLeaveHeldBytesUntilTheNextPoll() {
    start(true);
    pair.left.push(2_000);
    pair.pump(pair.left);
    pair.arrive(pair.right, 9, true);
    pair.right.drain(); // OPENED is not answered: it is held
    pair.right
        .solicitation
        .sinks()
        .accept(Integer.toUnsignedLong(VerbPair.RSN), 1, false, Long.MAX_VALUE);
    assertThat(pair.right.poll()).isTrue();
    assertThat(pair.right.entry.kind()).isEqualTo(Kind.BYTES);
    byte first = pair.right.entry.buffer().get(pair.right.entry.offset());
    pair.right.transactions.inbound().fail(Integer.toUnsignedLong(VerbPair.RSN), 9, "");
    // Another connection of the loop holds a message.
    pair.right.push(0);
    pair.right.push(2_000);
    pair.pump(pair.right);
    pair.arrive(pair.left, 9, true);
    while (pair.left.poll()) {}
    assertThat(pair.right.entry.buffer().get(pair.right.entry.offset())).isEqualTo(first);
  }
}
