package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.parameter.Agreement;
import io.rtransport.core.parameter.InitialNumbers;
import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.PushSupplier;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.transaction.TransactionSublayer;
import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.WindowClass;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which packets a receipt waits for, also where records travel anew, and how many may wait. */
class ReceiptsTest implements AcknowledgementView {
  /** Both numbers begin anew soon. */
  private static final int FIRST = -2;

  private final TransactionSublayer transactions =
      new TransactionSublayer(
          PushSupplier.NEVER,
          new TransactionPool(1),
          new Counters(),
          new Agreement()
              .numbers(
                  new InitialNumbers(FIRST, FIRST, FIRST, FIRST),
                  new InitialNumbers(FIRST, FIRST, FIRST, FIRST))
              .make());
  private final Receipts receipts = new Receipts(transactions);
  private final OutboxEntry entry = new OutboxEntry();
  private int base = FIRST;
  private boolean isDisplaced;
  private int next = FIRST;

  @Override
  public boolean isAcknowledged(WindowClass windowClass, int psn) {
    throw new AssertionError("all before it count too");
  }

  @Override
  public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
    assertThat(windowClass).isEqualTo(WindowClass.DATA);
    return base - psn > 0 && !isDisplaced;
  }

  @Override
  public boolean isAllAcknowledged() {
    throw new AssertionError("later ones do not count");
  }

  /** A push whose tag is the place at which it was sent, its last byte in {@code psn}. */
  private int send(int psn) {
    transactions.beginReady(next - FIRST);
    receipts.onSent(next, psn);
    return next++;
  }

  private List<Long> acknowledged(int upTo) {
    base = upTo;
    receipts.onAcknowledged(this);
    List<Long> tags = new ArrayList<>();
    while (receipts.poll(entry)) {
      assertThat(entry.kind()).isEqualTo(OutboxEntry.Kind.RECEIVED);
      tags.add(entry.tag());
    }
    return tags;
  }

  private void complete(int rsn) {
    transactions.completeCompacted(rsn);
    assertThat(transactions.poll(entry)).isTrue();
    assertThat(entry.kind()).isEqualTo(OutboxEntry.Kind.ENDED);
  }

  @Test
  void shouldWaitForThePacketOfTheLastByteAndAllBeforeIt() {
    send(FIRST);
    send(FIRST);
    send(FIRST + 3);
    assertThat(acknowledged(FIRST)).isEmpty();
    assertThat(acknowledged(FIRST + 1)).containsExactly(0L, 1L);
    assertThat(acknowledged(FIRST + 3)).isEmpty();
    assertThat(acknowledged(FIRST + 4)).containsExactly(2L);
    assertThat(receipts.size()).isZero();
  }

  @Test
  void shouldWaitWhileRecordsAreOutOfTheirPacketsAndThenForThoseThatCarryThem() {
    send(FIRST);
    send(FIRST + 1);
    isDisplaced = true;
    assertThat(acknowledged(FIRST + 2)).isEmpty();
    receipts.onRepacked(FIRST + 5);
    receipts.onRepacked(FIRST + 6);
    isDisplaced = false;
    send(FIRST + 7);
    assertThat(acknowledged(FIRST + 6)).isEmpty();
    assertThat(acknowledged(FIRST + 7)).containsExactly(0L, 1L);
    assertThat(acknowledged(FIRST + 8)).containsExactly(2L);
  }

  @Test
  void shouldNotHoldUpThoseThatLeaveAfterTheRepacked() {
    send(FIRST);
    receipts.onRepacked(FIRST + 2);
    send(FIRST + 2); // behind the repacked records, in the same packet
    assertThat(acknowledged(FIRST + 2)).isEmpty();
    assertThat(acknowledged(FIRST + 3)).containsExactly(0L, 1L);
    receipts.onRepacked(FIRST + 9); // nothing waits for that
    send(FIRST + 4);
    assertThat(acknowledged(FIRST + 5)).containsExactly(2L);
  }

  @Test
  void shouldSayNothingOfWhatWasHandedUp() {
    int first = send(FIRST);
    send(FIRST);
    complete(first);
    assertThat(acknowledged(FIRST + 1)).containsExactly(1L);
  }

  @Test
  void shouldSayNothingOnceTheConnectionHasEnded() {
    send(FIRST);
    base = FIRST + 1;
    receipts.onAcknowledged(this);
    transactions.endAll(1, "over");
    assertThat(receipts.poll(entry)).isFalse();
  }

  @Test
  void shouldHoldNoMoreThanItsBoundOfAPeerThatCompletesWhatItNeverAcknowledges() {
    int open = send(FIRST);
    receipts.onRepacked(FIRST + 1);
    for (int i = 1; i < Receipts.WAITING_MAX; i++) {
      int rsn = send(FIRST + 2);
      transactions.completeCompacted(rsn);
    }
    assertThat(receipts.size()).isEqualTo(Receipts.WAITING_MAX);
    transactions.completeCompacted(open);
    while (transactions.poll(entry)) {
      // All are handed up.
    }
    int last = send(FIRST + 3);
    assertThat(receipts.size()).isOne();
    assertThat(acknowledged(FIRST + 4)).containsExactly((long) last - FIRST);
  }

  @Test
  void shouldKeepThoseThatAreOpenWhenItDropsOthers() {
    int first = send(FIRST);
    for (int i = 1; i < Receipts.WAITING_MAX; i++) {
      send(FIRST + 1);
    }
    receipts.onRepacked(FIRST + 5);
    complete(first);
    send(FIRST + 6);
    assertThat(receipts.size()).isEqualTo(Receipts.WAITING_MAX);
    assertThat(acknowledged(FIRST + 5)).isEmpty();
    assertThat(acknowledged(FIRST + 6)).hasSize(Receipts.WAITING_MAX - 1);
    assertThat(acknowledged(FIRST + 7)).hasSize(1);
  }
}
