package io.rtransport.core.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HalfOpensTest {
  private static final InetSocketAddress FROM = new InetSocketAddress("127.0.0.1", 7_400);

  private final HalfOpens halfOpens = new HalfOpens(name -> Long.hashCode(name.nonce()));

  private HalfOpen add(long nonce) {
    HalfOpens.Name name = new HalfOpens.Name(FROM, 7, nonce);
    HalfOpen halfOpen = new HalfOpen(name, 0, 0, 0, null, null, null, nonce);
    halfOpens.add(halfOpen);
    return halfOpen;
  }

  @Test
  void shouldFindByEveryPartOfTheName() {
    HalfOpen halfOpen = add(1);

    assertThat(halfOpens.find(new HalfOpens.Name(FROM, 7, 1))).isSameAs(halfOpen);
    assertThat(halfOpens.find(new HalfOpens.Name(FROM, 7, 2))).isNull();
    assertThat(halfOpens.find(new HalfOpens.Name(FROM, 8, 1))).isNull();
    InetSocketAddress other = new InetSocketAddress("127.0.0.1", 7_401);
    assertThat(halfOpens.find(new HalfOpens.Name(other, 7, 1))).isNull();
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
