package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SentIdsTest {
  private final SentIds sent = new SentIds();

  @Test
  void shouldTellIncarnationsApart() {
    assertThat(sent.firstNew(1, 1)).isEqualTo(1);
    sent.onSent(1, 5);
    sent.onSent(1, 3);
    assertThat(sent.firstNew(1, 2)).isEqualTo(6);
    assertThat(sent.firstNew(2, 2)).as("it has seen none of them").isEqualTo(2);
  }

  @Test
  void shouldTakeNothingForNewOnceItHasForgottenAnIncarnation() {
    for (long incarnation = 1; incarnation <= SentIds.INCARNATIONS_MAX; incarnation++) {
      sent.onSent(incarnation, incarnation);
    }
    assertThat(sent.firstNew(1_000, 7)).isEqualTo(7);
    assertThat(sent.firstNew(1, 7)).isEqualTo(2);
    sent.onSent(1_000, 90);
    assertThat(sent.firstNew(1, 7)).as("forgotten").isEqualTo(91);
    assertThat(sent.firstNew(2_000, 7)).as("it may be the forgotten one").isEqualTo(91);
    assertThat(sent.firstNew(1_000, 7)).isEqualTo(91);
  }
}
