package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.window.RxWindow.Verdict;
import io.rtransport.core.wire.AckFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class AckSchedulerTest {
  private static final long DELAY_NS = 1_000_000;
  private static final long START_NS = 5_000_000_000L;

  private final RxWindow requests = new RxWindow(0, 1_024);
  private final RxWindow data = new RxWindow(-10, 8_192);
  private final AckScheduler acks = new AckScheduler(requests, data, DELAY_NS, new AckFlyweight());
  private final AckFlyweight ack = new AckFlyweight();
  private int sequence;
  private int psn = -10;

  private Verdict receive(int psn, int length, boolean isAckRequested, long nowNs) {
    boolean hadGap = data.hasGap();
    Verdict verdict = data.onPacket(psn);
    acks.onPacket(WindowClass.DATA, verdict, hadGap, length, isAckRequested, nowNs);
    acks.onPath(0, sequence++, verdict == Verdict.DUPLICATE, nowNs);
    return verdict;
  }

  private AckFlyweight write(int wordsMax, long nowNs) {
    ByteBuffer buffer = ByteBuffer.allocate(AckFlyweight.BODY_LENGTH_MAX);
    int measured = acks.measure(wordsMax, 0, nowNs);
    assertThat(acks.write(buffer, 0, wordsMax, 77, 0, nowNs)).isEqualTo(measured);
    return ack.wrap(buffer, 0);
  }

  @Test
  void shouldOweNothingAtFirst() {
    assertThat(acks.isOwed()).isFalse();
    assertThat(acks.deadlineNs()).isEqualTo(Long.MAX_VALUE);
    assertThat(acks.isDue(Long.MAX_VALUE - 1)).isFalse();
  }

  @Test
  void shouldWaitForTheAckDelayOfTheFirstPacketOwed() {
    receive(-10, 100, false, START_NS);
    receive(-9, 100, false, START_NS + 500);
    assertThat(acks.deadlineNs()).isEqualTo(START_NS + DELAY_NS);
    assertThat(acks.isDue(START_NS + DELAY_NS - 1)).isFalse();
    assertThat(acks.isDue(START_NS + DELAY_NS)).isTrue();
  }

  /**
   * Packets came far apart, each acknowledged by a packet of its own after the whole delay. Returns
   * when the last of those left.
   */
  private long waitInVain(int times) {
    long nowNs = START_NS;
    for (int i = 0; i < times; i++) {
      nowNs += 2 * DELAY_NS;
      receive(psn++, 100, false, nowNs);
      assertThat(acks.deadlineNs()).isEqualTo(nowNs + DELAY_NS);
      nowNs += DELAY_NS;
      sendAck(nowNs);
    }
    return nowNs;
  }

  private void sendAck(long nowNs) {
    acks.onOwnPacket(nowNs);
    write(16, nowNs);
  }

  @Test
  void shouldNotWaitWithAPacketThatComesAloneAfterEightWaitsInVain() {
    long nowNs = waitInVain(AckScheduler.VAIN_WAITS);
    receive(psn++, 100, false, nowNs);
    assertThat(acks.isDue(nowNs)).as("a whole delay after the one before").isTrue();
    sendAck(nowNs);
    receive(psn++, 100, false, nowNs + DELAY_NS - 1);
    assertThat(acks.deadlineNs()).as("sooner").isEqualTo(nowNs + 2 * DELAY_NS - 1);
  }

  @Test
  void shouldStillWaitAfterSevenInVain() {
    long nowNs = waitInVain(AckScheduler.VAIN_WAITS - 1);
    receive(psn++, 100, false, nowNs);
    assertThat(acks.deadlineNs()).isEqualTo(nowNs + DELAY_NS);
  }

  @Test
  void shouldWaitAgainOnceAPacketHasLeftThatCouldHaveCarriedIt() {
    long nowNs = waitInVain(AckScheduler.VAIN_WAITS);
    receive(psn++, 100, false, nowNs);
    sendAck(nowNs);
    acks.onBasesSent(nowNs + DELAY_NS - 1);
    receive(psn++, 100, false, nowNs + 2 * DELAY_NS);
    assertThat(acks.deadlineNs()).isEqualTo(nowNs + 3 * DELAY_NS);
  }

  @Test
  void shouldNotWaitForAPacketThatLeftTooLateToCarryIt() {
    long nowNs = waitInVain(AckScheduler.VAIN_WAITS);
    receive(psn++, 100, false, nowNs);
    sendAck(nowNs);
    acks.onBasesSent(nowNs + DELAY_NS);
    receive(psn++, 100, false, nowNs + 2 * DELAY_NS);
    assertThat(acks.isDue(nowNs + 2 * DELAY_NS)).isTrue();
  }

  @Test
  void shouldNotBeProvokedByDuplicates() {
    long nowNs = waitInVain(AckScheduler.VAIN_WAITS);
    receive(psn - 1, 100, false, nowNs);
    assertThat(acks.isDue(nowNs)).isFalse();
  }

  @Test
  void shouldBeDueAtOnceWhenAsked() {
    receive(-10, 100, true, START_NS);
    assertThat(acks.isDue(START_NS)).isTrue();
  }

  @Test
  void shouldBeDueAt128KilobytesOwedAndNotBefore() {
    int half = AckScheduler.OWED_BYTES_MAX / 2;
    receive(-10, half, false, START_NS);
    receive(-9, half - 1, false, START_NS);
    assertThat(acks.isDue(START_NS)).isFalse();
    receive(-8, 1, false, START_NS);
    assertThat(acks.isDue(START_NS)).isTrue();
  }

  @Test
  void shouldBeDueAtAQuarterOfTheSmallerWindow() {
    for (int i = 0; i < 255; i++) {
      receive(-10 + i, 10, false, START_NS);
    }
    assertThat(acks.isDue(START_NS)).isFalse();
    receive(245, 10, false, START_NS);
    assertThat(acks.isDue(START_NS)).isTrue();
  }

  @Test
  void shouldSayAHoleAtOnceButNotInAStream() {
    receive(-8, 10, false, START_NS);
    assertThat(acks.isDue(START_NS)).isTrue();
    write(16, START_NS);
    receive(-6, 10, false, START_NS + 10);
    assertThat(acks.deadlineNs()).isEqualTo(START_NS + AckScheduler.HOLE_SPACING_NS);
  }

  @Test
  void shouldAnswerDuplicatesAtALimitedRate() {
    receive(-10, 10, true, START_NS);
    write(16, START_NS);
    assertThat(receive(-10, 10, false, START_NS + 1)).isEqualTo(Verdict.DUPLICATE);
    assertThat(acks.deadlineNs()).isEqualTo(START_NS + AckScheduler.REFUSED_SPACING_NS);
    assertThat(write(16, START_NS + 300_000).pathDuplicates(0)).isEqualTo(1);
    long later = START_NS + 10 * AckScheduler.REFUSED_SPACING_NS;
    receive(-10, 10, false, later);
    assertThat(acks.isDue(later)).isTrue();
  }

  @Test
  void shouldSayOnceThatAPacketWasAboveTheWindow() {
    assertThat(receive(8_182, 10, false, START_NS)).isEqualTo(Verdict.OUT_OF_WINDOW);
    assertThat(acks.isBlockWanted(0, START_NS)).isTrue();
    assertThat(write(16, START_NS).flags()).isEqualTo(AckFlyweight.FLAG_OWN_DATA);
    receive(-10, 10, false, START_NS);
    assertThat(write(16, START_NS).flags()).isZero();
  }

  @Test
  void shouldOweNothingAfterBothBasesLeftUnlessThereIsAHole() {
    receive(-10, 10, true, START_NS);
    acks.onBasesSent(START_NS);
    assertThat(acks.isOwed()).isFalse();
    receive(-8, 10, true, START_NS);
    acks.onBasesSent(START_NS);
    assertThat(acks.isDue(START_NS)).isTrue();
    assertThat(acks.isBlockWanted(0, START_NS)).isTrue();
    write(4, START_NS);
    assertThat(acks.isOwed()).isFalse();
    // The hole is still there, but has been said.
    receive(-9, 10, false, START_NS + 1);
    acks.onBasesSent(START_NS + 1);
    assertThat(acks.isOwed()).isFalse();
  }

  @Test
  void shouldGiveARoundTripSampleInABlockAboutOnceARoundTrip() {
    receive(-10, 10, false, START_NS);
    assertThat(acks.isBlockWanted(3_000_000, START_NS)).isTrue();
    write(4, START_NS);
    receive(-9, 10, false, START_NS + 1);
    assertThat(acks.isBlockWanted(3_000_000, START_NS + 2_999_999)).isFalse();
    assertThat(acks.isBlockWanted(3_000_000, START_NS + 3_000_000)).isTrue();
    assertThat(acks.isBlockWanted(0, START_NS + 499_999)).isFalse();
    assertThat(acks.isBlockWanted(0, START_NS + 500_000)).isTrue();
  }

  @Test
  void shouldSayChangedWordsFirstAndStayDueUntilAllAreSaid() {
    // Words of 64 above the base at -10: one packet in each of forty.
    for (int word = 1; word <= 40; word++) {
      receive(word * 64, 10, true, START_NS);
    }
    write(16, START_NS);
    assertThat(ack.dataBase()).isEqualTo(-10);
    assertThat(ack.dataWordCount()).isEqualTo(16);
    assertThat(ack.dataWordOffset()).isEqualTo(2);
    assertThat(ack.dataWord(0)).isEqualTo(1);
    assertThat(acks.isDue(START_NS)).isTrue();
    assertThat(write(16, START_NS).dataWordOffset()).isEqualTo(18);
    assertThat(write(16, START_NS).dataWordOffset()).isEqualTo(34);
    assertThat(ack.dataWordCount()).isEqualTo(8);
    assertThat(acks.isOwed()).isFalse();
    // Nothing changed: the lowest.
    assertThat(write(16, START_NS).dataWordOffset()).isZero();
    // A duplicate's word changed.
    receive(30 * 64, 10, true, START_NS);
    assertThat(write(16, START_NS).dataWordOffset()).isEqualTo(31);
    assertThat(ack.creditLimit()).isEqualTo(77);
  }

  @Test
  void shouldSayAllWordsWhenTheyFit() {
    receive(0, 10, true, START_NS);
    write(16, START_NS);
    receive(64, 10, true, START_NS);
    write(16, START_NS);
    assertThat(ack.dataWordOffset()).isZero();
    assertThat(ack.dataWordCount()).isEqualTo(3);
    assertThat(ack.dataWord(0)).isEqualTo((1L << 54) - 1);
    assertThat(ack.dataWord(1)).isEqualTo(1);
    assertThat(ack.dataWord(2)).isEqualTo(1);
  }
}
