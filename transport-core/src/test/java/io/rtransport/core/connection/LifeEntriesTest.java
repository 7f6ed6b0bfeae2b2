package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.CloseReason;
import io.rtransport.core.transaction.OutboxEntry;
import io.rtransport.core.transaction.OutboxEntry.Kind;
import org.junit.jupiter.api.Test;

class LifeEntriesTest {
  private final LifeEntries life = new LifeEntries();
  private final OutboxEntry entry = new OutboxEntry();

  @Test
  void shouldGiveTheBeginningFirstAndTheEndLastEachOnce() {
    life.put(Kind.FORGOTTEN);
    life.putClosed(new CloseReason(7, "done", true));
    life.put(Kind.PEER_FINISHED);
    life.put(Kind.PEER_CHANGED);
    life.put(Kind.MOVED);
    life.put(Kind.ESTABLISHED);
    assertFirst(Kind.ESTABLISHED);
    assertFirst(Kind.MOVED);
    assertFirst(Kind.PEER_CHANGED);
    assertThat(life.pollFirst(entry)).isFalse();
    assertLast(Kind.PEER_FINISHED);
    assertLast(Kind.CLOSED);
    assertThat(entry.code()).isEqualTo(7);
    assertThat(entry.text()).isEqualTo("done");
    assertThat(entry.isByPeer()).isTrue();
    assertLast(Kind.FORGOTTEN);
    assertThat(life.pollFirst(entry)).isFalse();
    assertThat(life.pollLast(entry, false)).isFalse();
  }

  /** It may move again later. */
  @Test
  void shouldGiveAgainWhatHappensAgain() {
    life.put(Kind.MOVED);
    life.put(Kind.MOVED);
    assertFirst(Kind.MOVED);
    assertThat(life.pollFirst(entry)).isFalse();
    life.put(Kind.MOVED);
    assertFirst(Kind.MOVED);
  }

  private void assertFirst(Kind kind) {
    assertThat(life.pollFirst(entry)).isTrue();
    assertThat(entry.kind()).isEqualTo(kind);
  }

  private void assertLast(Kind kind) {
    assertThat(life.pollLast(entry, false)).isTrue();
    assertThat(entry.kind()).isEqualTo(kind);
  }
}
