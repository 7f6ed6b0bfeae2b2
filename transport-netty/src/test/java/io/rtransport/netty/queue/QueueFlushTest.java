package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.queue.Claim;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Posts that are not flushed by themselves: what has them leave, and what ends them. */
@Timeout(60)
class QueueFlushTest extends QueueRig {
  private static final long LATE = 99;

  private final Recorder here = new Recorder();
  private final boolean[] finished = {false};
  private final Recorder there =
      new Recorder() {
        @Override
        public void onPeerFinished(RtQueueConnection connection) {
          finished[0] = true;
        }
      };
  private RtQueues target;
  private RtQueues initiator;
  private RtQueueConnection connection;
  private RtQueueConnection other;
  private long others = 1_000;

  @BeforeEach
  void begin() {
    begin(RtQueueConfig.defaults());
  }

  private void beginAnew(RtQueueConfig config) {
    close();
    opened.clear();
    here.ends.clear();
    there.open.clear();
    begin(config);
  }

  private void begin(RtQueueConfig config) {
    target = open(RtQueueConfig.defaults());
    initiator = open(config);
    RtQueueListener listener = target.listen(ANY);
    connection = initiator.connect(listener.localAddress());
    push(connection, "first", 1);
    until(() -> here.ends.containsKey(1L) && there.open.size() == 1);
    other = initiator.connect(listener.localAddress());
    roundTrip();
    connection.autoFlush(false);
  }

  private void until(BooleanSupplier holds) {
    until(initiator, here, target, there, holds);
  }

  /** Returns after the event loop has done all that it was asked before. */
  private void roundTrip() {
    long tag = others++;
    push(other, "between", tag);
    until(() -> here.ends.containsKey(tag));
  }

  /** The first half of a post: its thread is stopped before it publishes. */
  private long claim() {
    assertThat(connection.rings.completions.tryPost(1)).isEqualTo(Claim.TAKEN);
    return connection.rings.submissions.tryClaim(1);
  }

  private void publish(long claim) {
    connection.rings.submissions.publish(claim, ConnectionRings.COPIED, LATE, 0, 1, null);
  }

  @Test
  void shouldKeepPostsUntilAFlush() {
    push(connection, "second", 2);
    for (int i = 0; i < 20; i++) {
      roundTrip();
    }
    assertThat(there.messages).doesNotContain("second");
    assertThat(connection.posted()).isOne();
    connection.flush();
    until(() -> here.ends.containsKey(2L));
    push(connection, "third", 3);
    connection.autoFlush(true);
    until(() -> here.ends.containsKey(3L));
    assertThat(there.messages).contains("second", "third");
  }

  @Test
  void shouldSendWhatWasPostedBeforeAFinish() {
    push(connection, "second", 2);
    connection.finish();
    until(() -> here.ends.containsKey(2L) && finished[0]);
    assertThat(here.ends.get(2L)).isEqualTo(Outcome.COMPLETED);
  }

  @Test
  void shouldSendWhatWasPostedBeforeAClose() {
    push(connection, "second", 2);
    connection.close();
    until(() -> here.closed.size() == 1);
    assertThat(here.ends.get(2L)).isEqualTo(Outcome.COMPLETED);
    assertThat(there.messages).contains("second");
  }

  @Test
  void shouldSendWhatWasPostedBeforeAPostThatIsRefused() {
    beginAnew(RtQueueConfig.defaults().postedMax(2));
    assertThat(push(connection, "second", 2)).isNotNegative();
    assertThat(push(connection, "third", 3)).isNotNegative();
    assertThat(push(connection, "fourth", 4)).isEqualTo(RtQueueConnection.BACK_PRESSURED);
    until(() -> here.ends.containsKey(3L));
  }

  @Test
  void shouldSendAFlushedPostBehindOneThatIsPublishedLater() {
    long claim = claim();
    push(connection, "of another thread", 2);
    connection.flush();
    roundTrip();
    publish(claim);
    until(() -> here.ends.containsKey(2L) && here.ends.containsKey(LATE));
  }

  @Test
  void shouldFinishThoughAPostIsPublishedLater() {
    long claim = claim();
    connection.finish();
    roundTrip();
    publish(claim);
    until(() -> here.ends.containsKey(LATE) && finished[0]);
  }

  @Test
  void shouldTellOfTheEndThoughAPostIsPublishedLater() {
    long claim = claim();
    there.open.get(0).close(1_000, "bye");
    until(() -> connection.closeReason() != null);
    roundTrip();
    assertThat(here.closed).isEmpty();
    publish(claim);
    until(() -> !here.closed.isEmpty());
    assertThat(here.ends.get(LATE)).isEqualTo(Outcome.NOT_EXECUTED);
  }
}
