package io.rtransport.core.stats;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountersTest {
  private final Counters whole = new Counters();
  private final Counters first = new Counters(whole);
  private final Counters second = new Counters(whole);
  private final Counters third = new Counters(whole);

  @Test
  void shouldSumItsPartsAndItsOwn() {
    whole.increment(CounterId.DATAGRAMS_SENT);
    first.add(CounterId.DATAGRAMS_SENT, 10);
    third.add(CounterId.DATAGRAMS_SENT, 100);
    assertThat(whole.value(CounterId.DATAGRAMS_SENT)).isEqualTo(111);
    assertThat(first.value(CounterId.DATAGRAMS_SENT)).isEqualTo(10);
    assertThat(second.value(CounterId.DATAGRAMS_SENT)).isZero();
  }

  @Test
  void shouldTellItsOwnWithoutItsParts() {
    whole.add(CounterId.DATAGRAMS_SENT, 0x1_0000_0001L);
    first.add(CounterId.DATAGRAMS_SENT, 10);
    assertThat(whole.ownValue(CounterId.DATAGRAMS_SENT)).isEqualTo(0x1_0000_0001L);
    assertThat(first.ownValue(CounterId.DATAGRAMS_SENT)).isEqualTo(10);
    first.leave();
    assertThat(whole.ownValue(CounterId.DATAGRAMS_SENT)).isEqualTo(0x1_0000_000BL);
  }

  @Test
  void shouldKeepWhatWasCountedByThoseThatLeft() {
    first.add(CounterId.TIMEOUTS, 1);
    second.add(CounterId.TIMEOUTS, 10);
    third.add(CounterId.TIMEOUTS, 100);
    first.leave();
    first.leave();
    assertThat(whole.value(CounterId.TIMEOUTS)).isEqualTo(111);
    third.increment(CounterId.TIMEOUTS);
    third.leave();
    second.increment(CounterId.TIMEOUTS);
    assertThat(whole.value(CounterId.TIMEOUTS)).isEqualTo(113);
    second.leave();
    assertThat(whole.value(CounterId.TIMEOUTS)).isEqualTo(113);
    assertThat(whole).hasToString("TIMEOUTS=113");
  }

  @Test
  void shouldCountAloneAfterLeaving() {
    first.leave();
    first.increment(CounterId.TIMEOUTS);
    assertThat(first.value(CounterId.TIMEOUTS)).isOne();
    assertThat(whole.value(CounterId.TIMEOUTS)).isZero();
  }

  @Test
  void shouldCountBeyondThirtyTwoBitsAndGiveThatToItsWhole() {
    Counters whole = new Counters();
    Counters part = new Counters(whole);
    part.add(CounterId.MESSAGE_BYTES_SENT, 0xFFFF_FFFEL);
    part.increment(CounterId.MESSAGE_BYTES_SENT);
    assertThat(part.value(CounterId.MESSAGE_BYTES_SENT)).isEqualTo(0xFFFF_FFFFL);
    part.increment(CounterId.MESSAGE_BYTES_SENT);
    assertThat(part.value(CounterId.MESSAGE_BYTES_SENT)).isEqualTo(0x1_0000_0000L);
    part.add(CounterId.MESSAGE_BYTES_SENT, 0x7_FFFF_FFFFL);
    assertThat(whole.value(CounterId.MESSAGE_BYTES_SENT)).isEqualTo(0x8_FFFF_FFFFL);
    part.leave();
    assertThat(whole.value(CounterId.MESSAGE_BYTES_SENT)).isEqualTo(0x8_FFFF_FFFFL);
    assertThat(whole.value(CounterId.ACKS_SENT)).isZero();
  }

  @Test
  void shouldCountTheLastIdAsItCountsTheFirst() {
    CounterId[] ids = CounterId.values();
    for (int round = 1; round <= 2; round++) {
      first.increment(ids[0]);
      second.add(ids[ids.length - 1], 7);
      assertThat(first.value(ids[0])).isEqualTo(round);
      assertThat(first.value(ids[ids.length - 1])).isZero();
      assertThat(second.value(ids[ids.length - 1])).isEqualTo(7L * round);
      assertThat(whole.value(ids[ids.length - 1])).isEqualTo(7L * round);
    }
    first.increment(ids[ids.length - 1]); // what was counted before it grew is kept
    assertThat(first.value(ids[0])).isEqualTo(2);
    assertThat(first.value(ids[ids.length - 1])).isOne();
  }
}
