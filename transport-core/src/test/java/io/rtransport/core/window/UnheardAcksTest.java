package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class UnheardAcksTest {
  private static final int PSN = -2; // before the wrap

  private final UnheardAcks acks = new UnheardAcks();
  private int sequence;

  private void resent(int psn) {
    acks.onAskedAgain(false, psn, sequence++);
  }

  @Test
  void shouldBeUnheardAtTheThirdTransmissionOfAnAcknowledgedPacketAndNotBefore() {
    resent(PSN);
    resent(PSN);
    assertThat(acks.take()).isFalse();
    resent(PSN);
    assertThat(acks.take()).isTrue();
    assertThat(acks.take()).as("told once").isFalse();
    resent(PSN);
    assertThat(acks.take()).as("shown again").isTrue();
  }

  @Test
  void shouldNotCountCopiesThatTheNetworkMade() {
    for (int i = 0; i < 10; i++) {
      acks.onAskedAgain(false, PSN, 7);
    }
    assertThat(acks.take()).isFalse();
  }

  @Test
  void shouldCountTheTwoThatAreResentInTurn() {
    for (int i = 0; i < 3; i++) {
      assertThat(acks.take()).isFalse();
      resent(PSN);
      resent(PSN + 3); // across the wrap
    }
    assertThat(acks.take()).isTrue();
  }

  @Test
  void shouldKnowFourPacketsAndForgetTheOneThatCameLongestAgo() {
    for (int i = 0; i < 2; i++) {
      for (int psn = PSN; psn < PSN + 4; psn++) {
        resent(psn);
      }
    }
    assertThat(acks.take()).isFalse();
    resent(PSN);
    assertThat(acks.take()).as("the first of four").isTrue();
    resent(PSN + 9);
    resent(PSN + 1);
    assertThat(acks.take()).as("it came longest ago").isFalse();
    resent(PSN + 3);
    assertThat(acks.take()).isTrue();
  }

  @Test
  void shouldKeepTheWindowsApart() {
    acks.onAskedAgain(false, PSN, 1);
    acks.onAskedAgain(true, PSN, 2);
    acks.onAskedAgain(false, PSN, 3);
    acks.onAskedAgain(true, PSN, 4);
    assertThat(acks.take()).isFalse();
    acks.onAskedAgain(false, PSN, 5);
    assertThat(acks.take()).isTrue();
  }
}
