package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.Transaction.Kind;
import io.rtransport.core.transaction.Transaction.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What may happen to a transaction: only what its role, its kind and its stage allow. */
class TransactionMovesTest {
  private static final PayloadSource SOURCE = (handle, offset, to, index, length) -> length;

  private final TransactionPool pool = new TransactionPool(7);

  private static void assertRefused(Runnable... wrong) {
    for (Runnable each : wrong) {
      assertThatThrownBy(each::run).isInstanceOf(AssertionError.class);
    }
  }

  @Test
  void shouldHaveOnePayloadThatGoesItsWay() {
    Transaction ownPush = MadeTransactions.push(pool, SOURCE, 5);
    Transaction ownPull = MadeTransactions.sentPull(pool, 5);
    Transaction peersPush = MadeTransactions.arriving(pool, Kind.PUSH, 1, 5);
    Transaction peersPull = MadeTransactions.answered(pool, 5, SOURCE, 3);
    assertThat(ownPush.outgoing().hasSource()).isTrue();
    assertThat(peersPull.outgoing().hasSource()).isTrue();
    assertThat(ownPull.incoming().isOpen()).isFalse();
    assertThat(peersPush.incoming().isOpen()).isFalse();
    assertRefused(
        ownPush::incoming,
        peersPull::incoming,
        ownPull::outgoing,
        peersPush::outgoing,
        () -> pool.acquire().incoming(),
        () -> pool.acquire().outgoing());
    assertThat(ownPush.payloadBytes()).isEqualTo(5);
    assertThat(ownPull.payloadBytes()).as("not known").isEqualTo(5);
    assertThat(peersPull.payloadBytes()).isEqualTo(3);
  }

  @Test
  void shouldRefuseWhatOnlyTheOtherRoleOrKindDoes() {
    Transaction ownPush = MadeTransactions.push(pool, SOURCE, 5);
    Transaction sentPush = pushIn(Stage.SENT);
    Transaction queuedPull = MadeTransactions.queued(pool, Kind.PULL, 5);
    Transaction admittedPull = MadeTransactions.queued(pool, Kind.PULL, 5);
    admittedPull.admit();
    Transaction peersPush = MadeTransactions.arriving(pool, Kind.PUSH, 1, 5);
    Transaction deliveredPush = MadeTransactions.arriving(pool, Kind.PUSH, 1, 5);
    deliveredPush.passTurn();
    deliveredPush.deliver();
    Transaction peersPull = MadeTransactions.answered(pool, 5, SOURCE, 3);
    Transaction arrivingPull = MadeTransactions.arriving(pool, Kind.PULL, 1, 5);
    // Each stands in a stage in which one of the other role or kind may do it.
    assertRefused(
        () -> ownPush.passTurn(),
        () -> ownPush.blame(1, "", 0),
        () -> ownPush.fail(),
        () -> sentPush.refuse(1, 0),
        () -> sentPush.learnAnswerLength(1),
        () -> queuedPull.wantReceipt(),
        () -> queuedPull.carry(SOURCE, 0, true),
        () -> admittedPull.solicit(1),
        () -> peersPush.cancel(),
        () -> peersPush.expire(),
        () -> peersPush.settle(Outcome.COMPLETED, 0, "", 0),
        () -> deliveredPush.respond(SOURCE, 0, 1),
        () -> arrivingPull.passOver(false, 0),
        () -> peersPull.becomeAwaited());
  }

  /** Which stages each move of an own push, and of a peer's, may start from. */
  @Test
  void shouldMoveOnlyFromTheStagesThatAreDrawn() {
    assertThat(startsOf(Transaction::admit)).containsExactly(Stage.QUEUED);
    assertThat(startsOf(Transaction::start)).containsExactly(Stage.ADMITTED, Stage.STARTED);
    assertThat(startsOf(Transaction::finishSending)).containsExactly(Stage.STARTED);
    assertThat(startsOf(Transaction::cancel))
        .containsExactly(Stage.QUEUED, Stage.ADMITTED, Stage.STARTED, Stage.SENT);
    assertThat(startsOf(Transaction::wantReceipt))
        .containsExactly(Stage.QUEUED, Stage.ADMITTED, Stage.STARTED);
    assertThat(startsOf(t -> t.settle(Outcome.FAILED, 1, "", 0)))
        .containsExactly(Stage.QUEUED, Stage.ADMITTED, Stage.STARTED, Stage.SENT);
    assertThat(startsOf(Transaction::becomeReady)).containsExactly(Stage.ARRIVING);
    assertThat(startsOf(Transaction::deliver)).containsExactly(Stage.ARRIVING, Stage.READY);
    assertThat(startsOf(Transaction::complete)).containsExactly(Stage.DELIVERED);
    assertThat(startsOf(Transaction::report))
        .containsExactly(Stage.DELIVERED, Stage.COMPLETED, Stage.FAILED);
    assertThat(startsOf(Transaction::fail))
        .containsExactly(
            Stage.ARRIVING, Stage.READY, Stage.DELIVERED, Stage.COMPLETED, Stage.REPORTED);
    assertThat(startsOf(t -> t.tellFailure(1))).containsExactly(Stage.FAILED);
    assertThat(startsOf(t -> t.charge(1))).containsExactly(Stage.ARRIVING);
    assertThat(startsOf(t -> t.solicit(1))).containsExactly(Stage.ADMITTED, Stage.ARRIVING);
  }

  private List<Stage> startsOf(Consumer<Transaction> move) {
    List<Stage> starts = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      Transaction t = pushIn(stage);
      try {
        move.accept(t);
        starts.add(stage);
      } catch (AssertionError e) {
        assertThat(t.stage()).as("not moved").isEqualTo(stage);
      }
    }
    return starts;
  }

  private Transaction pushIn(Stage stage) {
    Transaction t = pool.acquire();
    boolean isOwn = stage.compareTo(Stage.ARRIVING) < 0;
    if (stage == Stage.FREE) {
      return t;
    } else if (isOwn) {
      t.submit(Kind.PUSH, 5, 0);
    } else {
      t.arrive(Kind.PUSH, 1, 5);
    }
    switch (stage) {
      case ADMITTED, STARTED, SENT -> t.admit();
      case ENDED -> {
        t.settle(Outcome.NOT_EXECUTED, 1, "", 0);
        t.end();
      }
      case READY -> t.becomeReady();
      case DELIVERED, COMPLETED, REPORTED -> t.deliver();
      case FAILED -> t.fail();
      default -> {
        // begun, and nothing more
      }
    }
    if (stage == Stage.STARTED || stage == Stage.SENT) {
      t.start();
    }
    switch (stage) {
      case SENT -> t.finishSending();
      case COMPLETED -> t.complete();
      case REPORTED -> t.report();
      default -> {
        // there
      }
    }
    assertThat(t.stage()).isEqualTo(stage);
    return t;
  }

  @Test
  void shouldNotTakeOrArriveMoreThanThereIs() {
    Transaction t = MadeTransactions.arriving(pool, Kind.PUSH, 1, 1_000);
    IncomingPayload payload = t.incoming();
    payload.reserve(100);
    payload.grant(100);
    assertRefused(() -> payload.arrive(101), () -> payload.take(1), () -> payload.release(101));
    payload.arrive(60);
    payload.addMissing(0, 60);
    assertThat(payload.countMissing(50, 70)).isEqualTo(10);
    assertRefused(() -> payload.take(61));
    assertThat(payload.takeUpTo(70)).isEqualTo(60);
    assertThat(payload.missingBytes()).isEqualTo(40);
    payload.accept(9, false, Long.MAX_VALUE);
    assertRefused(() -> payload.accept(9, false, Long.MAX_VALUE), payload::putOff);
    assertRefused(() -> pool.release(t));
    payload.stop();
    assertThat(payload.reservedBytes() + payload.missingBytes()).isZero();
    pool.release(t);
    assertThat(pool.acquire()).isSameAs(t);
    t.arrive(Kind.PUSH, 2, 5);
    assertThat(t.incoming().hereBytes()).isZero();
    assertThat(t.isOpen()).isFalse();
  }

  @Test
  void shouldSendAsFarAsTheGrantsGoWithoutAGap() {
    Transaction t = MadeTransactions.push(pool, SOURCE, 1_000);
    OutgoingPayload payload = t.outgoing();
    assertThat(payload.grant(200, 300, null)).isTrue();
    assertThat(payload.grantedBytes()).isZero();
    assertThat(payload.grant(0, 200, null)).isTrue();
    assertThat(payload.grantedBytes()).isEqualTo(300);
    assertThat(payload.awaitGrants()).isTrue();
    assertThat(payload.awaitGrants()).as("again").isFalse();
    assertThat(payload.stopAwaitingGrants()).isTrue();
    assertThat(payload.stopAwaitingGrants()).isFalse();
    assertRefused(() -> pool.release(t));
    payload.letGo();
    assertRefused(payload::letGo);
    pool.release(t);
  }
}
