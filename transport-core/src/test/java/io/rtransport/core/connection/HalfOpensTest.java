package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HalfOpensTest {
  private static final InetSocketAddress FROM = new InetSocketAddress("127.0.0.1", 7_400);

  private final HalfOpens halfOpens = new HalfOpens(name -> Long.hashCode(name.nonce()));

  private HalfOpen add(long nonce) {
    HalfOpens.Name name = new HalfOpens.Name(5, 7, nonce);
    HalfOpen.Source source = new HalfOpen.Source(new Pair(0, FROM), 1);
    HalfOpen halfOpen = new HalfOpen(name, 0, source, null, null, null, nonce);
    halfOpens.add(halfOpen);
    return halfOpen;
  }

  @Test
  void shouldFindByEveryPartOfTheName() {
    HalfOpen halfOpen = add(1);

    assertThat(halfOpens.find(new HalfOpens.Name(5, 7, 1))).isSameAs(halfOpen);
    assertThat(halfOpens.find(new HalfOpens.Name(5, 7, 2))).isNull();
    assertThat(halfOpens.find(new HalfOpens.Name(5, 8, 1))).isNull();
    assertThat(halfOpens.find(new HalfOpens.Name(6, 7, 1))).isNull();
  }

  @Test
  void shouldAnswerEightSourcesAndFindEachByItsPairAndItsCookie() {
    HalfOpen halfOpen = add(1);
    for (int i = 1; i < HalfOpen.SOURCES_MAX; i++) {
      assertThat(halfOpen.add(new HalfOpen.Source(new Pair(i, FROM), 1 + i))).isTrue();
    }
    assertThat(halfOpen.add(new HalfOpen.Source(new Pair(8, FROM), 9))).isFalse();
    for (int i = 0; i < HalfOpen.SOURCES_MAX; i++) {
      assertThat(halfOpen.at(i, FROM)).isSameAs(halfOpen.of(1 + i)).isNotNull();
    }
    assertThat(halfOpen.at(8, FROM)).isNull();
    assertThat(halfOpen.of(9)).isNull();
  }

  @Test
  void shouldKnowForFiveSecondsThatAnotherAddressHasConfirmed() {
    HalfOpens.Name name = new HalfOpens.Name(5, 7, 1);
    InetSocketAddress other = new InetSocketAddress("127.0.0.1", 7_401);
    assertThat(halfOpens.isConfirmedElsewhere(name, other, 1)).isFalse();
    halfOpens.onConfirmed(name, FROM, 1);

    assertThat(halfOpens.isConfirmedElsewhere(name, FROM, 1)).isFalse();
    assertThat(halfOpens.isConfirmedElsewhere(name, other, HalfOpen.LIFETIME_NS)).isTrue();
    assertThat(halfOpens.isConfirmedElsewhere(name, other, 1 + HalfOpen.LIFETIME_NS)).isFalse();
    assertThat(halfOpens.isConfirmedElsewhere(new HalfOpens.Name(5, 7, 257), other, 1)).isFalse();
  }

  @Test
  void shouldKeepTheOrderOfAgeWhicheverLeaves() {
    HalfOpen first = add(1);
    HalfOpen second = add(2);
    HalfOpen third = add(3);
    HalfOpen fourth = add(4);

    halfOpens.remove(second);
    assertThat(halfOpens.oldest()).isSameAs(first);
    halfOpens.remove(first);
    assertThat(halfOpens.oldest()).isSameAs(third);
    halfOpens.remove(fourth);
    HalfOpen fifth = add(5);
    halfOpens.remove(third);
    assertThat(halfOpens.oldest()).isSameAs(fifth);
    assertThat(halfOpens.size()).isEqualTo(1);
    halfOpens.remove(fifth);
    assertThat(halfOpens.oldest()).isNull();
    assertThat(halfOpens.size()).isZero();
  }

  /** By a search among all of them this takes a minute. */
  @Test
  @Timeout(20)
  void shouldTakeTheNewestOutWithoutLookingAtTheOthers() {
    HalfOpen[] all = new HalfOpen[1 << 18];
    for (int i = 0; i < all.length; i++) {
      all[i] = add(i);
    }
    for (int i = all.length - 1; i >= 0; i--) {
      halfOpens.remove(all[i]);
    }

    assertThat(halfOpens.size()).isZero();
  }
}
