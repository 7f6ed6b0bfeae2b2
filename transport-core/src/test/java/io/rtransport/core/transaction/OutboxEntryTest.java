package io.rtransport.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import org.junit.jupiter.api.Test;

class OutboxEntryTest {
  private final OutboxEntry entry = new OutboxEntry();

  private void assertCompleted(long tag) {
    assertThat(entry.kind()).isEqualTo(Kind.ENDED);
    assertThat(entry.tag()).isEqualTo(tag);
    assertThat(entry.count()).isEqualTo((int) tag);
    assertThat(entry.outcome()).isEqualTo(Outcome.COMPLETED);
    assertThat(entry.code()).isZero();
    assertThat(entry.text()).isEmpty();
    assertThat(entry.isFromTransport()).isFalse();
  }

  /** It stores only what differs from the entry before, so each kind of entry stands before one. */
  @Test
  void shouldSayCompletedWhateverTheEntryBeforeWas() {
    entry.putCompleted(1, 1);
    assertCompleted(1);
    entry.putCompleted(2, 2);
    assertCompleted(2);
    entry.putEnded(3, Outcome.FAILED, 7, "no", true);
    assertThat(entry.count()).isOne();
    entry.putCompleted(4, 4);
    assertCompleted(4);
    entry.put(Kind.ROOM);
    entry.putCompleted(5, 5);
    assertCompleted(5);
    entry.putClosed(9, "closed", true);
    entry.putCompleted(6, 6);
    assertCompleted(6);
  }
}
