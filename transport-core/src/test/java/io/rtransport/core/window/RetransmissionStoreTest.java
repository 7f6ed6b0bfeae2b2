package io.rtransport.core.window;

import static io.rtransport.core.window.RetransmissionStore.BLOCK_BYTES;
import static io.rtransport.core.window.RetransmissionStore.NONE;
import static io.rtransport.core.window.RetransmissionStore.UNIT_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rtransport.core.window.RetransmissionStore.Lease;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RetransmissionStoreTest {
  private static RetransmissionStore store(int blocks) {
    return new RetransmissionStore(ByteBuffer.allocate(blocks * BLOCK_BYTES));
  }

  private static int put(RetransmissionStore store, Lease lease, int length) {
    int offset = store.reserve(lease, length);
    if (offset != NONE) {
      store.commit(lease, length);
    }
    return offset;
  }

  @Test
  void shouldRefuseLessThanABlock() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new RetransmissionStore(ByteBuffer.allocate(BLOCK_BYTES - 1)));
    assertThat(store(1).unitCount()).isEqualTo(8);
  }

  @Test
  void shouldLayPacketsOfALeaseEndToEndAndGiveItABlockOnceItHasMore() {
    RetransmissionStore store = store(16);
    Lease lease = store.open(1_396);
    int first = put(store, lease, 1_396);
    for (int i = 1; i < 5; i++) {
      assertThat(put(store, lease, 1_396)).isEqualTo(first + i * 1_396);
    }
    assertThat(store.freeUnits()).isEqualTo(16 * 8 - 1);
    int block = put(store, lease, 1_396);
    assertThat(block % BLOCK_BYTES).isZero();
    assertThat(store.freeUnits()).isEqualTo(16 * 8 - 9);
    for (int i = 1; i < 46; i++) {
      assertThat(put(store, lease, 1_396)).isEqualTo(block + i * 1_396);
    }
    assertThat(put(store, lease, 1_396)).isNotEqualTo(block + 46 * 1_396);
  }

  @Test
  void shouldFreeAnExtentWhenItsLastPacketGoesAndNotBefore() {
    RetransmissionStore store = store(1);
    Lease lease = store.open(4_000);
    put(store, lease, 4_000);
    int token = lease.token();
    put(store, lease, 4_000);
    store.release(lease, token);
    assertThat(store.freeUnits()).isEqualTo(7);
    store.release(lease, token);
    assertThat(store.freeUnits()).isEqualTo(8);
    assertThat(lease.packetCount()).isZero();
  }

  @Test
  void shouldKeepAPinnedExtentUntilTheSendIsOver() {
    RetransmissionStore store = store(1);
    Lease lease = store.open(1_000);
    int offset = put(store, lease, 1_000);
    int token = lease.token();
    store.pin(token);
    store.pin(token);
    store.release(lease, token);
    store.close(lease);
    assertThat(store.isPinned(token)).isTrue();
    assertThat(store.freeUnits()).isEqualTo(7);
    Lease other = store.open(8_192);
    for (int i = 0; i < 4; i++) {
      assertThat(put(store, other, 8_192)).isNotEqualTo(offset);
    }
    store.unpin(token);
    assertThat(store.freeUnits()).isEqualTo(3);
    store.unpin(token);
    assertThat(store.freeUnits()).isEqualTo(4);
  }

  @Test
  void shouldHoldNothingForAReserveThatWasAbandoned() {
    RetransmissionStore store = store(1);
    Lease lease = store.open(1_000);
    store.reserve(lease, 1_000);
    assertThat(store.freeUnits()).isEqualTo(7);
    store.abandon(lease);
    assertThat(store.freeUnits()).isEqualTo(8);
    put(store, lease, 1_000);
    store.reserve(lease, 1_000);
    store.abandon(lease);
    assertThat(store.freeUnits()).isEqualTo(7);
  }

  @Test
  void shouldGiveOneLeaseHalfOfTheStoreWhileNobodyElseNeedsIt() {
    RetransmissionStore store = store(8);
    assertThat(fill(store, store.open(8_192))).isEqualTo(32);
  }

  @Test
  void shouldGiveALeaseAQuarterOfTheStoreHoweverMuchIsTaken() {
    RetransmissionStore store = store(8);
    assertThat(fill(store, store.open(8_192))).isEqualTo(32);
    assertThat(fill(store, store.open(8_192))).isEqualTo(16);
  }

  private static int fill(RetransmissionStore store, Lease greedy) {
    int packets = 0;
    while (put(store, greedy, 8_192) != NONE) {
      packets++;
    }
    return packets;
  }

  @Test
  void shouldAlwaysHaveFourPacketsForALeaseThatHasFewer() {
    RetransmissionStore store = store(2);
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      leases.add(store.open(1_396));
    }
    // Seven take all they get; the eighth has not begun.
    for (boolean any = true; any; ) {
      any = false;
      for (Lease lease : leases.subList(0, 7)) {
        any |= put(store, lease, 1_396) != NONE;
      }
    }
    for (int i = 0; i < 4; i++) {
      assertThat(put(store, leases.get(7), 1_396)).isNotEqualTo(NONE);
    }
  }

  @Test
  void shouldNeverLetTwoPacketsOverlapAndEndWithAllFree() {
    for (long seed = 0; seed < 30; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      RetransmissionStore store = store(4);
      byte[] owner = new byte[4 * BLOCK_BYTES];
      Lease[] leases = {store.open(1_396), store.open(8_192), store.open(576)};
      int[] lengths = {1_396, 8_192, 576};
      List<int[]> packets = new ArrayList<>();
      for (int step = 0; step < 4_000; step++) {
        int who = random.nextInt(3);
        int offset = store.reserve(leases[who], lengths[who]);
        if (offset != NONE && random.nextInt(10) > 0) {
          int length = random.nextInt(1, lengths[who] + 1);
          int token = store.commit(leases[who], length);
          claim(owner, offset, length, seed);
          packets.add(new int[] {who, token, offset, length});
        } else {
          store.abandon(leases[who]);
        }
        while (!packets.isEmpty() && (offset == NONE || random.nextInt(100) < 48)) {
          release(store, leases, owner, packets.remove(random.nextInt(packets.size())));
          offset = 0;
        }
      }
      packets.forEach(packet -> release(store, leases, owner, packet));
      assertThat(store.freeUnits()).as("seed=%d", seed).isEqualTo(store.unitCount());
    }
  }

  private static void claim(byte[] owner, int offset, int length, long seed) {
    for (int i = offset; i < offset + length; i++) {
      if (owner[i]++ != 0) {
        throw new AssertionError("seed=" + seed + ": two packets at " + i);
      }
    }
  }

  private static void release(
      RetransmissionStore store, Lease[] leases, byte[] owner, int[] packet) {
    for (int i = packet[2]; i < packet[2] + packet[3]; i++) {
      owner[i]--;
    }
    store.release(leases[packet[0]], packet[1]);
  }

  @Test
  void shouldReuseWholeBlocksAfterTheirUnitsCameBackOneByOne() {
    UnitAllocator units = new UnitAllocator(1);
    int[] taken = new int[8];
    for (int i = 0; i < 8; i++) {
      taken[i] = units.takeUnit();
    }
    assertThat(taken).doesNotHaveDuplicates().doesNotContain(NONE);
    assertThat(units.takeUnit()).isEqualTo(NONE);
    for (int i = 0; i < 7; i++) {
      units.give(taken[i], 1);
      assertThat(units.takeBlock()).isEqualTo(NONE);
    }
    units.give(taken[7], 1);
    assertThat(units.takeBlock()).isZero();
    assertThat(units.freeCount()).isZero();
    assertThat(UNIT_BYTES).isEqualTo(8_192);
  }

  @Test
  void shouldKeepAUnitForWhatIsDisplacedHoweverFullItIs() {
    RetransmissionStore store = store(1);
    Lease[] leases = new Lease[8];
    for (int i = 0; i < leases.length; i++) {
      leases[i] = store.open(8_192);
    }
    for (int i = 0; i < 7; i++) {
      assertThat(put(store, leases[i], 8_192)).isNotEqualTo(NONE);
    }
    assertThat(put(store, leases[7], 8_192)).isEqualTo(NONE);
    int first = store.reserveLast(leases[7], 628);
    assertThat(first).isNotEqualTo(NONE);
    store.commit(leases[7], 628);
    int token = leases[7].token();
    assertThat(store.reserveLast(leases[7], 628)).isEqualTo(first + 628);
    assertThat(put(store, leases[7], 628))
        .as("a packet that may have to be shortened")
        .isEqualTo(NONE);
    assertThat(store.reserveLast(leases[0], 628)).as("all is taken").isEqualTo(NONE);
    store.release(leases[7], token);
    assertThat(store.freeUnits()).isEqualTo(1);
    assertThat(store.reserveLast(leases[0], 628)).isEqualTo(first);
    store.abandon(leases[0]);
    assertThat(store.freeUnits()).isEqualTo(1);
  }
}
