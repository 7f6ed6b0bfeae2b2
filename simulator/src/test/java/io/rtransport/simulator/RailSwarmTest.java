package io.rtransport.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class RailSwarmTest {
  private static final Pattern COUNT =
      Pattern.compile("(\\d+) (opened|suspected|returned|packets)");

  @Test
  void shouldHaveEachEventInEightSeeds() {
    long[] totals = new long[4];
    for (int seed = 1; seed <= 8; seed++) {
      String told = RailSwarm.swarm(seed).replace("paths opened", "opened");
      Matcher count = COUNT.matcher(told);
      for (int i = 0; i < totals.length; i++) {
        assertThat(count.find()).as(told).isTrue();
        totals[i] += Long.parseLong(count.group(1));
      }
    }
    assertThat(totals).as("paths opened, suspected, returned; packets moved").doesNotContain(0);
  }
}
