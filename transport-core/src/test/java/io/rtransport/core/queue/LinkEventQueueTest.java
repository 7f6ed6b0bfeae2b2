package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens to peers and rails is merged, and none of it is dropped. */
class LinkEventQueueTest {
  private static final int DOWN = 1;
  private static final int UP = 2;

  private final QueueWorld world = new QueueWorld(2, 4);
  private final EventQueue events =
      world.consumer.addEventQueue(EventQueueControls.moderated(), 1_000);

  @Test
  void shouldHandOverASubjectOnceWithAllItsKindsAndTheLastOfThem() {
    events.putLinkEvent(3, DOWN, 7);
    events.putLinkEvent(5, UP, 1);
    events.putLinkEvent(3, UP, -9);
    assertThat(world.consumer.pollLinks(world)).isEqualTo(2);
    assertThat(world.linkEvents).containsExactly("0:3:6:2:-9", "0:5:4:2:1");
    assertThat(world.consumer.pollLinks(world)).isZero();
  }

  @Test
  void shouldDropNoneWhateverComesWhileNobodyPolls() {
    for (int i = 0; i < 1_000_000; i++) {
      events.putLinkEvent(i % 8, i % 16, i);
    }
    assertThat(world.consumer.pollLinks(world)).isEqualTo(8);
    assertThat(world.linkEvents).hasSize(8);
    // Subject 7 had the kinds 7 and 15, of which 15 came last.
    assertThat(world.linkEvents.get(7)).isEqualTo("0:7:" + (1 << 7 | 1 << 15) + ":15:999999");
  }

  @Test
  void shouldComeAgainAfterItWasHandedOver() {
    for (int i = 0; i < 100; i++) {
      events.putLinkEvent(i % 8, 0, i);
      assertThat(world.consumer.pollLinks(world)).isOne();
    }
    assertThat(world.linkEvents.get(99)).isEqualTo("0:3:1:0:99");
  }

  @Test
  void shouldWakeASleeperAndEndItsWaitWithoutACompletion() {
    world.parker.meanwhile = () -> events.putLinkEvent(2, DOWN, 4);
    assertThat(world.consumer.await(world, 8, 1_000_000, 0)).isOne();
    assertThat(world.linkEvents).containsExactly("0:2:2:1:4");
    assertThat(world.parker.nowNs).isZero();
    assertThat(world.tags).isEmpty();
  }

  @Test
  void shouldRefuseToArmWhileOneWaits() {
    long seen = world.consumer.storedCount();
    events.putLinkEvent(2, DOWN, 4);
    assertThat(world.consumer.arm(seen, 0)).isFalse();
    assertThat(world.consumer.arm(world.consumer.storedCount(), 0)).isFalse();
    world.consumer.pollLinks(world);
    assertThat(world.consumer.arm(world.consumer.storedCount(), 0)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 8})
  void shouldRefuseASubjectOutsideItsRange(int subject) {
    assertThatThrownBy(() -> events.putLinkEvent(subject, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("subject=" + subject + " is not in the range 0..7");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 16})
  void shouldRefuseAKindOutsideItsRange(int kind) {
    assertThatThrownBy(() -> events.putLinkEvent(0, kind, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("kind=" + kind + " is not in the range 0..15");
  }
}
