package io.rtransport.netty.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LargeRoomTest {
  @Test
  void shouldGiveOneOriginHalfAndAllOfThemNoMoreThanThereIs() {
    LargeRoom room = new LargeRoom(4);
    for (String origin : new String[] {"a", "a", "b", "c"}) {
      assertThat(room.isFree(origin)).isTrue();
      room.take(origin);
    }
    assertThat(room.isFree("d")).as("all").isFalse();
    room.give("b");
    assertThat(room.isFree("a")).as("half").isFalse();
    assertThat(room.isFree("b")).isTrue();
    room.give("a");
    assertThat(room.isFree("a")).isTrue();
    assertThat(room.taken()).isEqualTo(2);
  }
}
