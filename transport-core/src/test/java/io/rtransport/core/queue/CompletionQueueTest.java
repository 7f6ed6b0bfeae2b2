package io.rtransport.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Room is claimed before, posting is refused first, and each claim ends in one entry. */
class CompletionQueueTest {
  private final QueueWorld world = new QueueWorld(1, 4);
  private final EventQueue events =
      world.consumer.addEventQueue(EventQueueControls.moderated(), 1_000);

  private CompletionQueue open(int postedMax, int inboundMax) {
    return world.consumer.open(events, postedMax, inboundMax);
  }

  private void store(CompletionQueue queue, long tag) {
    queue.store(tag, 1, 2, 3, 4, 5, 6);
    events.announce(queue, 1, 0);
  }

  @Test
  void shouldRefusePostingFirstAndTakeOneMoreForEachEntryPolled() {
    CompletionQueue queue = open(3, 0);
    for (int i = 0; i < 3; i++) {
      assertThat(queue.tryPost(1)).isEqualTo(Claim.TAKEN);
    }
    assertThat(queue.tryPost(1)).isEqualTo(Claim.BACK_PRESSURED);
    store(queue, 1);
    store(queue, 2);
    store(queue, 3);
    assertThat(queue.tryPost(1)).isEqualTo(Claim.BACK_PRESSURED);
    assertThat(world.poll(1)).isOne();
    assertThat(queue.tryPost(1)).isEqualTo(Claim.TAKEN);
    assertThat(queue.tryPost(1)).isEqualTo(Claim.BACK_PRESSURED);
    assertThat(world.tags).containsExactly(1L);
  }

  @Test
  void shouldClaimTwoEntriesOrNoneAndTakeBackTheOneThatIsNotNeeded() {
    CompletionQueue queue = open(3, 0);
    assertThat(queue.tryPost(2)).isEqualTo(Claim.TAKEN);
    assertThat(queue.tryPost(2)).isEqualTo(Claim.BACK_PRESSURED);
    assertThat(queue.posted()).isEqualTo(2);
    queue.giveBack(1);
    assertThat(queue.tryPost(2)).isEqualTo(Claim.TAKEN);
    assertThat(queue.posted()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, -1})
  void shouldRefuseToClaimOtherThanOneOrTwoEntries(int entries) {
    CompletionQueue queue = open(8, 0);
    assertThatThrownBy(() -> queue.tryPost(entries))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("entries=" + entries + " is not in the range 1..2");
  }

  @Test
  void shouldThrowAtAnEntryWithoutAClaimAndKeepTheOthers() {
    CompletionQueue queue = open(2, 0);
    // The ring has a run of places beyond its claims: those that a poll is about to hand over.
    for (int i = 0; i < 18; i++) {
      store(queue, i);
    }
    assertThatThrownBy(() -> store(queue, 18))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("entry 18 was stored without a claim");
    queue.tryPost(2); // so that the bound of claims is not below what is polled
    assertThat(world.poll(2)).isEqualTo(2);
    assertThat(world.tags).containsExactly(0L, 1L);
  }

  @Test
  void shouldLetAHandlerPostAgainWhileTheRingIsFull() {
    CompletionQueue queue = open(20, 0);
    for (int i = 0; i < 20; i++) {
      queue.tryPost(1);
      store(queue, i);
    }
    List<Long> seen = new ArrayList<>();
    QueueHandler again =
        c -> {
          seen.add(c.tag());
          if (c.tag() < 100) {
            assertThat(queue.tryPost(1)).isEqualTo(Claim.TAKEN);
            store(queue, 100 + c.tag());
          }
        };
    assertThat(world.consumer.poll(again, 64)).isEqualTo(40);
    assertThat(queue.posted()).isZero();
    for (int i = 0; i < 20; i++) {
      assertThat(seen.get(i)).isEqualTo(i);
      assertThat(seen.get(20 + i)).isEqualTo(100 + i);
    }
  }

  @Test
  void shouldHandOverTheRestOfARunAfterAHandlerThrew() {
    CompletionQueue queue = open(3, 0);
    for (int i = 0; i < 3; i++) {
      queue.tryPost(1);
      store(queue, i);
    }
    queue.close();
    List<Long> seen = new ArrayList<>();
    QueueHandler failing =
        c -> {
          seen.add(c.tag());
          throw new IllegalStateException("on purpose");
        };
    assertThatThrownBy(() -> world.consumer.poll(failing, 64)).hasMessage("on purpose");
    assertThat(world.poll(1)).isOne();
    assertThat(world.consumer.remove(queue, world)).isTrue();
    assertThat(seen).containsExactly(0L);
    assertThat(world.tags).containsExactly(1L, 2L);
  }

  @Test
  void shouldClaimInboundRoomForSeveralAtOnceUpToItsBound() {
    CompletionQueue queue = open(1, 5);
    assertThat(queue.claimInbound(3)).isEqualTo(3);
    assertThat(queue.claimInbound(3)).isEqualTo(2);
    assertThat(queue.claimInbound(3)).isZero();
    queue.giveBackInbound(1);
    assertThat(queue.claimInbound(3)).isOne();
    assertThat(queue.inbound()).isEqualTo(5);
    queue.close();
    assertThat(queue.claimInbound(3)).isNegative();
    assertThat(world.consumer.remove(queue, world)).isFalse();
    queue.giveBackInbound(5);
    assertThat(world.consumer.remove(queue, world)).isTrue();
  }

  @Test
  void shouldRefuseEachClaimAfterCloseAndStillEndWhatWasClaimed() {
    CompletionQueue queue = open(2, 1);
    assertThat(queue.tryPost(1)).isEqualTo(Claim.TAKEN);
    queue.close();
    queue.close();
    assertThat(queue.isClosed()).isTrue();
    assertThat(queue.tryPost(1)).isEqualTo(Claim.CLOSED);
    assertThat(queue.claimInbound(1)).isNegative();
    assertThat(world.consumer.remove(queue, world)).isFalse();
    store(queue, 7);
    assertThat(world.consumer.remove(queue, world)).isTrue();
    assertThat(world.tags).containsExactly(7L);
  }

  @Test
  void shouldNotBeRemovedWhileItIsOpen() {
    CompletionQueue queue = open(2, 0);
    assertThat(world.consumer.remove(queue, world)).isFalse();
  }

  @Test
  void shouldNotBeRemovedBeforeTheLoopHasAnnouncedItsLastEntry() {
    CompletionQueue queue = open(40, 0);
    queue.tryPost(1);
    store(queue, 0);
    for (int i = 1; i <= 32; i++) {
      queue.tryPost(1);
      queue.store(i, 0, 0, 0, 0, 0, 0);
    }
    queue.close();
    // The poll takes all entries, of which the loop still has to announce 32.
    assertThat(world.poll(64)).isEqualTo(33);
    assertThat(world.consumer.remove(queue, world)).isFalse();
    events.announce(queue, 32, 0);
    assertThat(world.consumer.remove(queue, world)).isTrue();
  }

  @Test
  void shouldShowEntriesInRunsOrOnceTheyAreAnnounced() {
    CompletionQueue queue = open(40, 0);
    queue.tryPost(1);
    store(queue, 0);
    for (int i = 1; i <= 31; i++) {
      queue.tryPost(1);
      queue.store(i, 0, 0, 0, 0, 0, 0);
    }
    assertThat(world.poll(64)).as("the rest is no run yet").isEqualTo(1);
    events.announce(queue, 31, 0);
    assertThat(world.poll(64)).isEqualTo(31);
  }

  @Test
  void shouldRefuseInboundEntriesBeyondTheirOwnBoundUntilSomeArePolled() {
    CompletionQueue queue = open(1, 2);
    for (int i = 0; i < 2; i++) {
      assertThat(queue.claimInbound(1)).isOne();
      queue.storeInbound(i, 1, 2, 3, 4, 5, 6);
    }
    assertThat(queue.claimInbound(1)).isZero();
    assertThat(queue.tryPost(1)).isEqualTo(Claim.TAKEN);
    events.announce(queue, 2, 0);
    assertThat(world.poll(1)).isOne();
    assertThat(queue.claimInbound(2)).isOne();
    queue.giveBackInbound(1);
    assertThat(world.poll(8)).isOne();
    assertThat(queue.inbound()).isZero();
    assertThat(queue.posted()).isOne();
  }

  @Test
  void shouldHandOverEachFieldOfAnEntry() {
    CompletionQueue queue = open(2, 1);
    queue.tryPost(1);
    queue.claimInbound(1);
    assertThat(queue.store(-5, -2, -3, 255, 254, -7, 1L << 32)).isZero();
    assertThat(queue.storeInbound(Long.MIN_VALUE, 9, 8, 0, 1, 2, 3)).isOne();
    events.announce(queue, 2, 0);
    List<String> seen = new ArrayList<>();
    world.consumer.poll(
        c ->
            seen.add(
                String.join(
                    " ",
                    List.of(
                        "" + c.eventQueue(),
                        "" + c.slot(),
                        "" + c.position(),
                        "" + c.tag(),
                        "" + c.connection(),
                        "" + c.rsn(),
                        "" + c.opcode(),
                        "" + c.status(),
                        "" + c.code(),
                        "" + c.bytes(),
                        "" + c.isInbound()))),
        8);
    assertThat(seen)
        .containsExactly(
            "0 0 0 -5 -2 -3 255 254 -7 4294967296 false",
            "0 0 1 -9223372036854775808 9 8 0 1 2 3 true");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void shouldRefuseAnOpcodeOrStatusOutsideAByte(int value) {
    CompletionQueue queue = open(1, 0);
    queue.tryPost(1);
    assertThatThrownBy(() -> queue.store(0, 0, 0, value, 0, 0, 0))
        .hasMessage("opcode=" + value + " is not in the range 0..255");
    assertThatThrownBy(() -> queue.store(0, 0, 0, 0, value, 0, 0))
        .hasMessage("status=" + value + " is not in the range 0..255");
  }

  @Test
  void shouldTakeCapacitiesInsideTheirRangesAndNoOthers() {
    int max = CompletionQueue.CAPACITY_MAX;
    for (int posted : new int[] {0, max + 1}) {
      assertThatThrownBy(() -> open(posted, 0))
          .hasMessage("postedMax=" + posted + " is not in the range 1..65536");
    }
    for (int inbound : new int[] {-1, max + 1}) {
      assertThatThrownBy(() -> open(1, inbound))
          .hasMessage("inboundMax=" + inbound + " is not in the range 0..65536");
    }
    // What was refused has taken no slot: four are there.
    assertThat(open(1, 0)).isNotNull();
    assertThat(open(max, max)).isNotNull();
    assertThat(open(3, 0)).isNotNull();
    assertThat(open(1, 1)).isNotNull();
    assertThat(open(1, 0)).isNull();
  }

  @Test
  void shouldGoRoundInARingOfEachCapacity() {
    for (int capacity : new int[] {1, 2, 3, 5, 8}) {
      QueueWorld own = new QueueWorld(1, 1);
      EventQueue eq = own.consumer.addEventQueue(EventQueueControls.moderated(), 0);
      CompletionQueue queue = own.open(eq, capacity);
      for (int round = 0; round < 50; round++) {
        int tag = 0;
        while (queue.tryPost(1) == Claim.TAKEN) {
          queue.store(tag++, 0, 0, 0, 0, 0, 0);
        }
        assertThat(tag).isEqualTo(capacity);
        eq.announce(queue, tag, round);
        own.tags.clear();
        assertThat(own.poll(100)).isEqualTo(capacity);
        for (int i = 0; i < capacity; i++) {
          assertThat(own.tags.get(i)).isEqualTo(i);
        }
      }
    }
  }
}
