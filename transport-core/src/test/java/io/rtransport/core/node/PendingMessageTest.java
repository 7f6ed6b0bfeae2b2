package io.rtransport.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.MessageStatus;
import io.rtransport.core.outcome.Outcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PendingMessageTest {
  private static final long DEADLINE_NS = 10_000;
  private static final long INTERVAL_NS = 100;
  private static final long TARGET = 1;
  private static final long RESTARTED = 2;

  private static PendingMessage message(MessageKind kind, boolean isRepeatable, int retries) {
    return new PendingMessage(kind, isRepeatable, DEADLINE_NS, retries, INTERVAL_NS, 0);
  }

  /** After one attempt: its end, and to which incarnations it may be sent again. */
  @ParameterizedTest
  @CsvSource({
    "PUT,     false, COMPLETED,    COMPLETED, false, false",
    "PUT_ACK, false, FAILED,       FAILED,    false, false",
    "PUT,     false, NOT_EXECUTED, ,          true,  true",
    "PUT_ACK, false, NOT_EXECUTED, ,          true,  true",
    "GET,     false, NOT_EXECUTED, ,          true,  true",
    "PUT,     false, UNKNOWN,      ,          true,  false",
    "PUT_ACK, false, UNKNOWN,      ,          true,  false",
    "PUT_ACK, true,  UNKNOWN,      ,          true,  true",
    "GET,     false, UNKNOWN,      UNKNOWN,   false, false",
    "GET,     true,  UNKNOWN,      ,          true,  true"
  })
  void shouldBeSentAgainOnlyWhereItCanBeExecutedOnce(
      MessageKind kind,
      boolean isRepeatable,
      Outcome outcome,
      MessageStatus status,
      boolean toTheSame,
      boolean toAnother) {
    PendingMessage message = message(kind, isRepeatable, 2);
    assertThat(message.maySend(TARGET, 0)).isTrue();
    message.onSent(TARGET);
    assertThat(message.maySend(TARGET, 0)).as("under way").isFalse();
    message.onAttemptEnded(outcome, 50);
    assertThat(message.status()).isEqualTo(status);
    assertThat(message.maySend(TARGET, 149)).as("too soon").isFalse();
    assertThat(message.maySend(TARGET, 150)).isEqualTo(toTheSame);
    assertThat(message.maySend(RESTARTED, 150)).isEqualTo(toAnother);
    message.onTarget(RESTARTED);
    boolean isLost = toTheSame && !toAnother;
    assertThat(message.status()).isEqualTo(isLost ? MessageStatus.UNKNOWN : status);
  }

  @ParameterizedTest
  @CsvSource({"0", "2", "5"})
  void shouldEndAfterItsAttempts(int retries) {
    for (Outcome outcome : new Outcome[] {Outcome.NOT_EXECUTED, Outcome.UNKNOWN}) {
      PendingMessage message = message(MessageKind.PUT_ACK, false, retries);
      for (int i = 0; i <= retries; i++) {
        assertThat(message.status()).isNull();
        message.onSent(TARGET);
        message.onAttemptEnded(outcome, message.dueNs());
      }
      assertThat(message.attempts()).isEqualTo(retries + 1);
      assertThat(message.status().name()).isEqualTo(outcome.name());
    }
  }

  @Test
  void shouldBeSentAgainAtOnceOnceThoughTheTargetHadForgottenItsOrigin() {
    PendingMessage message = message(MessageKind.PUT_ACK, false, 1);
    message.onSent(TARGET);
    assertThat(message.onRefused(10)).isTrue();
    assertThat(message.attempts()).isZero();
    assertThat(message.maySend(RESTARTED, 10)).as("surely not executed").isTrue();
    message.onSent(TARGET);
    assertThat(message.onRefused(20)).isTrue();
    assertThat(message.maySend(TARGET, 119)).as("too soon").isFalse();
    message.onSent(TARGET);
    assertThat(message.onRefused(130)).as("attempts").isFalse();
    assertThat(message.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
  }

  @ParameterizedTest
  @CsvSource({"PUT, false, UNKNOWN", "PUT_ACK, true, ", "GET, true, "})
  void shouldEndIfItWasRefusedAndMayHaveBeenExecutedBefore(
      MessageKind kind, boolean isRepeatable, MessageStatus status) {
    PendingMessage message = message(kind, isRepeatable, 2);
    message.onSent(TARGET);
    message.onAttemptEnded(Outcome.UNKNOWN, 10);
    message.onSent(TARGET);
    assertThat(message.onRefused(200)).isEqualTo(isRepeatable);
    assertThat(message.status()).isEqualTo(status);
  }

  @Test
  void shouldLeaveASilentRouterAtOnceButOnlyForTheSameIncarnation() {
    PendingMessage message = message(MessageKind.PUT_ACK, false, 1);
    assertThat(message.move(10)).as("nothing is under way").isFalse();
    message.onSent(TARGET);
    assertThat(message.move(10)).isTrue();
    assertThat(message.isUnderWay()).isFalse();
    assertThat(message.maySend(TARGET, 10)).isTrue();
    assertThat(message.maySend(RESTARTED, 10)).as("perhaps executed").isFalse();
    message.onSent(TARGET);
    assertThat(message.move(20)).as("the last attempt is waited for").isFalse();
    message.onAttemptEnded(Outcome.NOT_EXECUTED, 30);
    assertThat(message.status()).as("the first attempt").isEqualTo(MessageStatus.UNKNOWN);
  }

  @Test
  void shouldTakeTheCompletionOfAnAttemptThatWasLeft() {
    PendingMessage message = message(MessageKind.PUT_ACK, false, 1);
    message.onSent(TARGET);
    message.move(10);
    message.onAttemptEnded(Outcome.COMPLETED, 20);
    assertThat(message.status()).isEqualTo(MessageStatus.COMPLETED);
    assertThat(message.move(30)).isFalse();
  }

  @Test
  void shouldWaitForAGetThatIsNotRepeatable() {
    PendingMessage message = message(MessageKind.GET, false, 5);
    message.onSent(TARGET);
    assertThat(message.move(10)).isFalse();
    PendingMessage repeatable = message(MessageKind.GET, true, 5);
    repeatable.onSent(TARGET);
    assertThat(repeatable.move(10)).isTrue();
    assertThat(repeatable.maySend(RESTARTED, 10)).isTrue();
  }

  @Test
  void shouldEndAtItsDeadlineAndNotBefore() {
    PendingMessage waiting = message(MessageKind.PUT, false, 2);
    waiting.onTime(DEADLINE_NS - 1);
    assertThat(waiting.status()).isNull();
    assertThat(waiting.maySend(TARGET, DEADLINE_NS - 1)).isTrue();
    assertThat(waiting.maySend(TARGET, DEADLINE_NS)).isFalse();
    waiting.onTime(DEADLINE_NS);
    assertThat(waiting.status()).isEqualTo(MessageStatus.NOT_EXECUTED);

    PendingMessage underWay = message(MessageKind.PUT, false, 2);
    underWay.onSent(TARGET);
    underWay.onTime(DEADLINE_NS);
    assertThat(underWay.status()).isEqualTo(MessageStatus.UNKNOWN);
    underWay.onAttemptEnded(Outcome.COMPLETED, DEADLINE_NS + 1);
    assertThat(underWay.status()).as("one end").isEqualTo(MessageStatus.UNKNOWN);
  }

  @Test
  void shouldNotWaitForAnAttemptBehindTheDeadline() {
    PendingMessage message = message(MessageKind.PUT, false, 5);
    message.onSent(TARGET);
    message.onAttemptEnded(Outcome.NOT_EXECUTED, DEADLINE_NS - INTERVAL_NS);
    assertThat(message.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
  }

  @Test
  void shouldRememberThatItMayHaveBeenExecuted() {
    PendingMessage message = message(MessageKind.PUT_ACK, true, 1);
    message.onSent(TARGET);
    message.onAttemptEnded(Outcome.UNKNOWN, 0);
    message.onSent(RESTARTED);
    message.onAttemptEnded(Outcome.NOT_EXECUTED, 200);
    assertThat(message.status()).isEqualTo(MessageStatus.UNKNOWN);
  }

  @Test
  void shouldEndWithItsNode() {
    PendingMessage message = message(MessageKind.PUT, false, 1);
    message.onNothingMore();
    assertThat(message.status()).isEqualTo(MessageStatus.NOT_EXECUTED);
    PendingMessage sent = message(MessageKind.PUT, false, 1);
    sent.onSent(TARGET);
    sent.onNothingMore();
    assertThat(sent.status()).isEqualTo(MessageStatus.UNKNOWN);
  }
}
