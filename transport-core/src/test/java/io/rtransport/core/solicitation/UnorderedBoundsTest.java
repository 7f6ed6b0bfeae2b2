package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.transaction.PayloadSource;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Two honest ends without order, at their bounds: what one counts as ended the other must not count
 * as open.
 */
class UnorderedBoundsTest {
  private static final int RANGES = 1_024;

  private SolicitationPair pair;

  private void start(int outstanding) {
    SolicitationPair.Settings settings = new SolicitationPair.Settings();
    settings.isOrdered = false;
    settings.outstandingMax = outstanding;
    pair = new SolicitationPair(new SplittableRandom(3), settings);
    pair.left.application.isPlain = true;
    pair.left.application.isEnding = true;
    pair.right.application.isPlain = true;
    pair.right.application.isMute = true;
  }

  private static PayloadSource source(boolean isReady) {
    return new PayloadSource() {
      @Override
      public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
        for (int i = 0; isReady && i < length; i++) {
          to.put(index + i, ToyApplication.contentAt(handle, true, offset + i));
        }
        return isReady ? length : 0;
      }
    };
  }

  private void answerEverySecond(int from, int to, boolean isReady) {
    for (int tag = from; tag < to; tag += 2) {
      long rsn = Integer.toUnsignedLong(pair.left.application.firstRsn + tag);
      assertThat(pair.right.transactions.inbound().respond(rsn, source(isReady), tag, 100))
          .isTrue();
    }
  }

  @Test
  void shouldSendNoAnswerWhoseEndHasNoRangeAtTheTarget() {
    start(4 * RANGES);
    for (int i = 0; i < 4 * RANGES; i++) {
      assertThat(pair.left.application.submit(true, 100)).isTrue();
    }
    pair.settle();
    int used = 2 * (RANGES + 6);
    answerEverySecond(1, used, false); // all ranges are used up, and nothing of these has left
    pair.settle();
    answerEverySecond(used + 1, used + 200, true);
    pair.settle();
    assertThat(pair.left.application.ended).as("no range, no answer").isZero();
    while (pair.left.application.submit(true, 100)) {
      // as many as there is room for: settle demands that the target takes them all
    }
    pair.settle();

    answerEverySecond(0, 40, true);
    pair.settle();
    assertThat(pair.left.application.ended)
        .as("each step of the base frees a range")
        .isGreaterThan(20);
  }

  @Test
  void shouldNotPassTheSpanOfAPeerWhoseBaseWaitsForAnAcknowledgement() {
    start(2_048);
    assertThat(pair.left.application.submit(true, 100)).isTrue();
    pair.settle();
    for (int idle = 0; idle < 50; idle++) {
      while (pair.left.application.submit(false, 1)) {
        idle = 0;
      }
      for (SolicitationPair.End end : new SolicitationPair.End[] {pair.left, pair.right}) {
        pair.pump(end);
        pair.deliver(pair.other(end), 60, true);
        end.window.acknowledge(end.solicitation, pair.nowNs);
        pair.timeouts(end);
      }
      pair.nowNs += 100_000;
    }
    pair.settle();
    assertThat(pair.left.transactions.submittable()).as("its span is full").isZero();

    long base = Integer.toUnsignedLong(pair.left.application.firstRsn);
    pair.right.transactions.inbound().fail(base, 7, "");
    pair.pump(pair.right);
    pair.deliver(pair.left, 9, true); // it knows the end; the target does not know that it does
    assertThat(pair.left.application.submit(false, 1)).isTrue();
    pair.pump(pair.left);
    pair.deliver(pair.right, 9, true);
    pair.settle();
  }
}
