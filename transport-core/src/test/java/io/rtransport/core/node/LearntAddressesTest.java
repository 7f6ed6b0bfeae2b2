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
  private final LearntAddresses.OfConnection first = learnt.connected(7, at(1));

  @Test
  void shouldLearnWhatWasToldAndAnswers() {
    first.onAddresses(all(1, 2, 3), all(1));
    assertThat(learnt.all()).as("told only, or given").isEmpty();
    first.onAddresses(all(1, 2, 3), all(1, 3, 4));
    assertThat(learnt.all()).as("4 was not told: the peer may have moved").isEqualTo(all(3));
    first.onAddresses(all(1, 2, 3), all(1, 2, 3));
    assertThat(learnt.all()).isEqualTo(all(3, 2));
  }

  @Test
  void shouldKeepWhatIsToldThoughItDoesNotAnswerNow() {
    first.onAddresses(all(1, 2, 3), all(2, 3));
    first.onAddresses(all(1, 2, 3), all(1)); // a connection by the first address only
    assertThat(learnt.all()).isEqualTo(all(2, 3));
  }

  @Test
  void shouldForgetWhatTheConnectionTakesBack() {
    first.onAddresses(all(1, 2, 3), all(2, 3));
    first.onAddresses(all(1, 3), all(2, 3)); // taken back, though its path is open still
    assertThat(learnt.all()).isEqualTo(all(3));
    first.onAddresses(NONE, all(3));
    assertThat(learnt.all()).isEmpty();
  }

  /** A connection to another listener of the peer is told other addresses. */
  @Test
  void shouldKeepWhatAnotherConnectionDoesNotTell() {
    first.onAddresses(all(1, 2, 3), all(2, 3));
    LearntAddresses.OfConnection other = learnt.connected(7, at(4));
    other.onAddresses(NONE, NONE);
    other.onAddresses(all(3, 4, 5), all(3, 4, 5));
    assertThat(learnt.all()).isEqualTo(all(2, 3, 4, 5));
    other.onAddresses(all(2, 3, 4, 5), all(3, 4, 5));
    other.onAddresses(all(4), all(3, 4, 5));
    assertThat(learnt.all()).as("2 was never open in this one").isEqualTo(all(2, 4));
    first.onAddresses(NONE, NONE);
    first.onAddresses(all(6), all(6));
    assertThat(learnt.all()).as("the first one is over").isEqualTo(all(2, 4));
  }

  @Test
  void shouldForgetWhatAnotherIncarnationDoesNotTell() {
    first.onAddresses(all(1, 2, 3), all(2, 3));
    LearntAddresses.OfConnection other = learnt.connected(8, at(1));
    assertThat(learnt.all()).as("it has told nothing yet").isEqualTo(all(2, 3));
    other.onAddresses(all(1, 3), NONE);
    assertThat(learnt.all()).isEqualTo(all(3));
  }

  @Test
  void shouldForgetWhereSomebodyElseIs() {
    first.onAddresses(all(2, 3), all(2, 3));
    assertThat(learnt.forget(at(2))).isTrue();
    assertThat(learnt.forget(at(2))).isFalse();
    assertThat(learnt.forget(at(1))).as("given").isFalse();
    assertThat(learnt.all()).isEqualTo(all(3));
  }

  @Test
  void shouldNotLearnWhatAGivenNameStandsFor() {
    InetSocketAddress name = InetSocketAddress.createUnresolved("beta.example", 7);
    LearntAddresses named = new LearntAddresses(List.of(name, at(1)));
    named.connected(7, at(2)).onAddresses(all(1, 2, 3), all(1, 2, 3));
    assertThat(named.all()).isEqualTo(all(3));
    for (InetSocketAddress other : new InetSocketAddress[] {at(1), at(3), null}) {
      named.connected(7, other).onAddresses(all(1, 2, 3), all(1, 2, 3));
      assertThat(named.all()).as("set up at %s, so not by the name", other).isEqualTo(all(3));
    }
    named.connected(7, at(4)).onAddresses(all(1, 2, 3, 4), all(1, 2, 3, 4));
    assertThat(named.all()).as("the name stands for 4 now").isEqualTo(all(3, 2));
    learnt.connected(7, at(2)).onAddresses(all(1, 2), all(1, 2));
    assertThat(learnt.all()).as("no name was given").isEqualTo(all(2));
  }

  /** A peer that tells thousands, all of which answer, has as many as one that tells few. */
  @Test
  void shouldBeBounded() {
    List<InetSocketAddress> thousands = new ArrayList<>();
    for (int i = 2; i < 4_000; i++) {
      thousands.add(at(i));
    }
    int max = LearntAddresses.ADDRESSES_MAX;
    first.onAddresses(thousands.subList(0, max - 1), thousands);
    assertThat(learnt.all()).hasSize(max - 1);
    first.onAddresses(thousands, thousands);
    assertThat(learnt.all()).isEqualTo(thousands.subList(0, max));
    first.onAddresses(thousands.subList(max, 2 * max), thousands);
    assertThat(learnt.all()).isEqualTo(thousands.subList(max, 2 * max));
  }

  @Test
  void shouldGiveUpTheFirstLearntThatIsNotToldWhenFull() {
    int max = LearntAddresses.ADDRESSES_MAX;
    List<InetSocketAddress> many = new ArrayList<>();
    for (int i = 2; i < 2 + max; i++) {
      many.add(at(i));
    }
    first.onAddresses(many, many);
    List<InetSocketAddress> told = all(2, 100, 101); // the first one again, and two new ones
    learnt.connected(7, at(1)).onAddresses(told, told);
    List<InetSocketAddress> expected = all(2);
    expected.addAll(many.subList(3, max));
    expected.addAll(all(100, 101));
    assertThat(learnt.all()).isEqualTo(expected);
  }
}
