package io.rtransport.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LearntAddressesTest {
  private static final List<InetSocketAddress> NONE = List.of();

  private static InetSocketAddress at(int last) {
    try {
      InetAddress address = InetAddress.getByAddress(new byte[] {10, 0, (byte) (last >> 8), 1});
      return new InetSocketAddress(address, 1 + (last & 0xFF));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static List<InetSocketAddress> all(int... lasts) {
    List<InetSocketAddress> all = new ArrayList<>();
    for (int last : lasts) {
      all.add(at(last));
    }
    return all;
  }

  private final LearntAddresses learnt = new LearntAddresses(all(1));

  @Test
  void shouldLearnWhatWasToldAndAnswers() {
    learnt.onConnection(all(1, 2, 3), all(1));
    assertThat(learnt.all()).as("told only, or given").isEmpty();
    learnt.onConnection(all(1, 2, 3), all(1, 3, 4));
    assertThat(learnt.all()).as("4 was not told: the peer may have moved").isEqualTo(all(3));
    learnt.onConnection(all(1, 2, 3), all(1, 2, 3));
    assertThat(learnt.all()).isEqualTo(all(3, 2));
  }

  @Test
  void shouldKeepWhatIsToldThoughItDoesNotAnswerNow() {
    learnt.onConnection(all(1, 2, 3), all(2, 3));
    learnt.onConnection(all(1, 2, 3), all(1)); // a connection by the first address only
    assertThat(learnt.all()).isEqualTo(all(2, 3));
  }

  @Test
  void shouldForgetWhatAConnectionDoesNotTell() {
    learnt.onConnection(all(1, 2, 3), all(2, 3));
    learnt.onConnection(all(1, 3), all(2, 3)); // taken back, though its path is open still
    assertThat(learnt.all()).isEqualTo(all(3));
    learnt.onConnection(NONE, all(3));
    assertThat(learnt.all()).isEmpty();
  }

  @Test
  void shouldForgetWhereSomebodyElseIs() {
    learnt.onConnection(all(2, 3), all(2, 3));
    assertThat(learnt.forget(at(2))).isTrue();
    assertThat(learnt.forget(at(2))).isFalse();
    assertThat(learnt.forget(at(1))).as("given").isFalse();
    assertThat(learnt.all()).isEqualTo(all(3));
  }

  /** A peer that tells thousands, all of which answer, has as many as one that tells few. */
  @Test
  void shouldBeBounded() {
    List<InetSocketAddress> thousands = new ArrayList<>();
    for (int i = 2; i < 4_000; i++) {
      thousands.add(at(i));
    }
    int max = LearntAddresses.ADDRESSES_MAX;
    learnt.onConnection(thousands.subList(0, max - 1), thousands);
    assertThat(learnt.all()).hasSize(max - 1);
    learnt.onConnection(thousands, thousands);
    assertThat(learnt.all()).isEqualTo(thousands.subList(0, max));
    learnt.onConnection(thousands.subList(max, 2 * max), thousands);
    assertThat(learnt.all()).isEqualTo(thousands.subList(max, 2 * max));
  }
}
