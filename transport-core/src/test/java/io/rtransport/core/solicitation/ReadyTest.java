package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.transaction.PayloadSource;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * What was put off goes on when the application says so, be it from inside the very call that puts
 * it off.
 */
class ReadyTest {
  private static final long HANDLE = 5;

  private final SolicitationPair pair =
      new SolicitationPair(new SplittableRandom(1), new SolicitationPair.Settings());
  private final SolicitationPair.End left = pair.left;

  /**
   * Has {@link #there} bytes, and when it comes to their end may say at once that there are more.
   */
  private class Source implements PayloadSource {
    final long tag;
    final boolean isAnswer;
    int there;
    int step;

    Source(long tag, boolean isAnswer, int there, int step) {
      this.tag = tag;
      this.isAnswer = isAnswer;
      this.there = there;
      this.step = step;
    }

    @Override
    public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
      int count = (int) Math.min(length, there - offset);
      for (int i = 0; i < count; i++) {
        to.put(index + i, ToyApplication.contentAt(tag, isAnswer, offset + i));
      }
      if (count < length && step > 0) {
        there += step;
        left.solicitation.ready(handle);
      }
      return count;
    }
  }

  ReadyTest() {
    left.application.isPlain = true;
    left.application.isEnding = true;
    pair.right.application.isPlain = true;
    pair.right.application.isEnding = true;
  }

  private Source push(int tag, int length, int there, int step) {
    ByteBuffer header = ByteBuffer.allocate(ToyApplication.HEADER_LENGTH);
    header.putLong(0, tag).putInt(8, length);
    Source source = new Source(tag, false, there, step);
    left.application.submitted.add(new ToyApplication.Own(tag, false, length));
    assertThat(left.transactions.submitPush(source, HANDLE, length, header, 0, 12, tag, true))
        .isTrue();
    return source;
  }

  @Test
  void shouldGoOnWithASmallPushThatIsReadyAgainInsideCopy() {
    push(0, 100, 0, 10);
    pair.settle();
    assertThat(left.application.ended).isEqualTo(1);
  }

  @Test
  void shouldGoOnWithAPushOfManyPiecesThatIsReadyAgainInsideCopy() {
    push(0, 6_000, 700, 700);
    pair.settle();
    assertThat(left.application.ended).isEqualTo(1);
  }

  @Test
  void shouldGoOnWithASolicitedPushThatIsReadyAgainInsideCopy() {
    push(0, 60_000, 0, 7_000);
    pair.settle();
    assertThat(left.application.ended).isEqualTo(1);
  }

  @Test
  void shouldGoOnWithAnAnswerThatIsReadyAgainInsideCopy() {
    left.application.isMute = true;
    pair.right.application.submit(true, 20_000);
    pair.settle();
    long rsn = Integer.toUnsignedLong(-7);
    Source answer = new Source(0, true, 0, 3_000);
    assertThat(left.transactions.inbound().respond(rsn, answer, HANDLE, 20_000)).isTrue();
    pair.settle();
    assertThat(pair.right.application.ended).isEqualTo(1);
  }

  @Test
  void shouldMakeEveryMessageOfTheHandleReady() {
    List<Source> sources = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      sources.add(push(i, 100, 0, 0));
    }
    sources.add(push(3, 60_000, 0, 0));
    pair.settle();
    assertThat(left.application.ended).isZero();
    sources.forEach(source -> source.there = 60_000);
    left.solicitation.ready(HANDLE);
    pair.settle();
    assertThat(left.application.ended).isEqualTo(4);
  }

  @Test
  void shouldMakeEveryAnswerOfTheHandleReady() {
    left.application.isMute = true;
    Source answer = new Source(0, true, 0, 0);
    Source other = new Source(1, true, 0, 0);
    pair.right.application.submit(true, 1_000);
    pair.right.application.submit(true, 1_000);
    pair.settle();
    left.transactions.inbound().respond(Integer.toUnsignedLong(-7), answer, HANDLE, 1_000);
    left.transactions.inbound().respond(Integer.toUnsignedLong(-6), other, HANDLE, 1_000);
    pair.settle();
    assertThat(pair.right.application.ended).isZero();
    answer.there = 1_000;
    other.there = 1_000;
    left.solicitation.ready(HANDLE);
    pair.settle();
    assertThat(pair.right.application.ended).isEqualTo(2);
  }

  /**
   * A later one that is finished must leave the queue, and not the earlier one that this made
   * ready.
   */
  @Test
  void shouldKeepTheOrderWhenAnEarlierOneBecomesReadyInsideTheCopyOfALaterOne() {
    Source first = push(0, 100, 0, 0);
    pair.settle();
    Source second = push(1, 100, 100, 0);
    Source waking =
        new Source(2, false, 100, 0) {
          @Override
          public int copy(long handle, long offset, ByteBuffer to, int index, int length) {
            first.there = 100;
            left.solicitation.ready(HANDLE);
            return super.copy(handle, offset, to, index, length);
          }
        };
    ByteBuffer header = ByteBuffer.allocate(ToyApplication.HEADER_LENGTH);
    header.putLong(0, 2).putInt(8, 100);
    left.application.submitted.add(new ToyApplication.Own(2, false, 100));
    left.transactions.submitPush(waking, HANDLE + 1, 100, header, 0, 12, 2, true);
    pair.settle();
    assertThat(second.there).isEqualTo(100);
    assertThat(left.application.ended).isEqualTo(3);
    pair.checkReleased();
  }

  private void askAgainInsideOpen() {
    int[] asked = {0};
    pair.right.application.openAnswer = ToyApplication.LATER;
    pair.right.application.onOpen =
        rsn -> {
          if (asked[0]++ == 0) {
            pair.right.solicitation.sinks().retryOpen(rsn);
          }
        };
  }

  @Test
  void shouldAskAgainForASmallPushThatWasPutOffAndAskedForInsideOpen() {
    askAgainInsideOpen();
    left.application.submit(false, 100);
    pair.settle();
    assertThat(left.application.outcomes).containsExactly("COMPLETED 0");
  }

  @Test
  void shouldAskAgainForAPushOfManyPiecesAlike() {
    askAgainInsideOpen();
    left.application.submit(false, 6_000);
    pair.settle();
    assertThat(left.application.outcomes).containsExactly("COMPLETED 0");
  }

  @Test
  void shouldAskAgainForASolicitedPushAlike() {
    askAgainInsideOpen();
    left.application.submit(false, 60_000);
    left.application.submit(false, 60_000);
    pair.settle();
    assertThat(left.application.outcomes).containsExactly("COMPLETED 0", "COMPLETED 0");
  }
}
