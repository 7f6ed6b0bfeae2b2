package io.rtransport.netty.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.outcome.Outcome;
import io.rtransport.core.queue.Claim;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Posts whose caller gets an exception behind the claim: nothing is kept of them. */
@Timeout(60)
class QueueGivenUpTest extends QueueRig {
  private static final int LENGTH = 100;

  private final RtQueues initiator = open(RtQueueConfig.defaults().postedMax(8));
  private final Recorder here = new Recorder();

  /** Another thread changes the limit all the time: some posts lose bytes behind their claim. */
  @Test
  void shouldKeepNoClaimWhereAnotherThreadShrinksTheBufferDuringThePost() throws Exception {
    RtQueues target = open(RtQueueConfig.defaults());
    Recorder there = new Recorder();
    RtQueueConnection connection = initiator.connect(target.listen(ANY).localAddress());
    ByteBuffer changed = ByteBuffer.allocate(LENGTH);
    Thread changes =
        new Thread(
            () -> {
              while (!Thread.interrupted()) {
                changed.limit(LENGTH / 2);
                VarHandle.fullFence(); // else the compiler may leave the first one out
                changed.limit(LENGTH);
                VarHandle.fullFence();
              }
            });
    changes.setDaemon(true);
    changes.start();
    Set<Long> taken = new HashSet<>();
    long tag = 0;
    long deadlineNs = System.nanoTime() + 20_000_000_000L;
    while (givenUp(connection, taken) < 20) { // more than there may be posts
      assertThat(System.nanoTime() - deadlineNs).as("%s", here).isNegative();
      try {
        if (connection.submitPush(changed, 0, LENGTH, tag) >= 0) {
          taken.add(tag++);
        }
      } catch (IndexOutOfBoundsException e) {
        assertThat(e).hasMessageContaining("length " + LENGTH / 2);
      }
      initiator.poll(here, 64);
      target.poll(there, 64);
    }
    changes.interrupt();
    changes.join();
    until(initiator, here, target, there, () -> connection.posted() == 0);
    assertThat(here.ends.keySet()).isEqualTo(taken);
    assertThat(new HashSet<>(here.ends.values())).containsExactly(Outcome.COMPLETED);
    assertThat(here.endsTwice).isZero();
    assertThat(there.messages).hasSameSizeAs(taken);
    connection.close();
    until(initiator, here, target, there, () -> !here.closed.isEmpty());
  }

  private static int givenUp(RtQueueConnection connection, Set<Long> taken) {
    return connection.rings.submissions.claimed() - taken.size();
  }

  @Test
  void shouldNotWaitForIt() {
    InetSocketAddress nobody;
    try (RtQueues other = RtQueues.open(RtQueueConfig.defaults())) {
      nobody = other.listen(ANY).localAddress();
    }
    RtQueueConnection connection = initiator.connect(nobody);
    assertThat(connection.rings.completions.tryPost(1)).isEqualTo(Claim.TAKEN);
    long claim = connection.rings.submissions.tryClaim(LENGTH);
    connection.rings.submissions.publish(claim, ConnectionRings.GIVEN_UP, 1, 0, LENGTH, null);
    assertThat(push(connection, "a", 2)).isOne();
    until(initiator, here, initiator, here, () -> !here.closed.isEmpty());
    assertThat(here.ends).containsOnlyKeys(2L);
    assertThat(connection.posted()).isZero();
  }
}
