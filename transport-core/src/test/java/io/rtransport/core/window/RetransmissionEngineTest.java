package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.cam.ContentAddressableMemory;
import io.rtransport.core.connection.LoopResources;
import io.rtransport.core.window.RetransmissionEngine.Resend;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class RetransmissionEngineTest {
  private static final int NONE = RetransmissionEngine.NONE;

  private final ContentAddressableMemory cam = new ContentAddressableMemory(64, 42);
  private final RetransmissionStore store =
      new RetransmissionStore(ByteBuffer.allocate(4 * RetransmissionStore.BLOCK_BYTES));
  private final RetransmissionEngine engine = new RetransmissionEngine(cam, store);

  private int send(RetransmissionStore.Lease lease, int cid, WindowClass windowClass, int psn) {
    int offset = engine.reserve(lease, 500);
    return offset == NONE ? NONE : engine.commit(lease, cid, windowClass, psn, offset, 500);
  }

  @Test
  void shouldFindASlotByItsExactKeyOnly() {
    RetransmissionStore.Lease lease = engine.open(500);
    int slot = send(lease, 7, WindowClass.DATA, -1);
    assertThat(engine.lookup(7, WindowClass.DATA, -1)).isEqualTo(slot);
    assertThat(engine.lookup(7, WindowClass.REQUEST, -1)).isEqualTo(NONE);
    assertThat(engine.lookup(8, WindowClass.DATA, -1)).isEqualTo(NONE);
    assertThat(engine.lookup(7, WindowClass.DATA, 0)).isEqualTo(NONE);
    assertThat(engine.remove(7, WindowClass.DATA, -1)).isEqualTo(slot);
    engine.free(lease, slot);
    assertThat(engine.inFlightCount()).isZero();
    assertThat(store.freeUnits()).isEqualTo(store.unitCount());
  }

  @Test
  void shouldGiveOneConnectionAQuarterOfTheSlotsAndEachItsFirstFour() {
    RetransmissionStore.Lease greedy = engine.open(500);
    int psn = 0;
    while (send(greedy, 1, WindowClass.DATA, psn) != NONE) {
      psn++;
    }
    assertThat(psn).isEqualTo(16);
    // Seven more take what they get. The eighth and last has not begun, and finds its four.
    RetransmissionStore.Lease[] others = new RetransmissionStore.Lease[8];
    for (int i = 0; i < 8; i++) {
      others[i] = engine.open(500);
    }
    for (int i = 0; i < 7; i++) {
      psn = 0;
      while (send(others[i], 10 + i, WindowClass.DATA, psn) != NONE) {
        psn++;
      }
      assertThat(psn).isBetween(4, 16);
    }
    for (psn = 0; psn < 4; psn++) {
      assertThat(send(others[7], 99, WindowClass.DATA, psn)).isNotEqualTo(NONE);
    }
    assertThat(send(others[7], 99, WindowClass.DATA, 4)).isEqualTo(NONE);
  }

  @Test
  void shouldScanAConnectionsPacketsOfOnePathInOrder() {
    RetransmissionStore.Lease lease = engine.open(500);
    int[] slots = new int[4];
    for (int i = 0; i < 4; i++) {
      slots[i] = send(lease, 5, WindowClass.REQUEST, -2 + i);
      engine.onSent(slots[i], i % 2, i, Resend.NO, i);
    }
    assertThat(engine.scan(5, WindowClass.REQUEST, -2, 2, 0, NONE)).isEqualTo(slots[0]);
    assertThat(engine.scan(5, WindowClass.REQUEST, -2, 2, 0, slots[0])).isEqualTo(slots[2]);
    assertThat(engine.scan(5, WindowClass.REQUEST, -2, 2, 1, NONE)).isEqualTo(slots[1]);
    assertThat(engine.scan(5, WindowClass.REQUEST, -2, -1, 1, NONE)).isEqualTo(NONE);
    assertThat(engine.scan(5, WindowClass.DATA, -2, 2, 0, NONE)).isEqualTo(NONE);
  }

  @Test
  void shouldKeepTheFirstSendTimeOverResends() {
    RetransmissionStore.Lease lease = engine.open(500);
    int slot = send(lease, 5, WindowClass.DATA, 0);
    engine.onSent(slot, 0, 10, Resend.NO, 100);
    engine.lost(slot);
    assertThat(engine.isResent(slot)).isFalse();
    engine.onSent(slot, 1, 20, Resend.EARLY, 200);
    assertThat(engine.firstSentNs(slot)).isEqualTo(100);
    assertThat(engine.lastSentNs(slot)).isEqualTo(200);
    assertThat(engine.isLost(slot)).isFalse();
    assertThat(engine.isResent(slot)).isTrue();
    assertThat(engine.lastResend(slot)).isEqualTo(Resend.EARLY);
    assertThat(engine.pathIndex(slot)).isEqualTo(1);
    assertThat(engine.sequence(slot)).isEqualTo(20);
  }

  /**
   * A connection whose peer leaves one packet of each 64 unacknowledged holds a row for each. An
   * eighth of a loop: of its rows, and of 10,000 connections.
   */
  @Test
  void shouldLetEachConnectionSendBesideThoseThatHoldAsManyRowsAsTheyCan() {
    int rows = LoopResources.CAM_ENTRIES_DEFAULT / 2 / 8;
    ContentAddressableMemory small = new ContentAddressableMemory(2 * rows, rows, 42);
    RetransmissionStore roomy =
        new RetransmissionStore(ByteBuffer.allocate(256 * RetransmissionStore.BLOCK_BYTES));
    RetransmissionEngine shared = new RetransmissionEngine(small, roomy);
    RetransmissionStore.Lease[] leases = new RetransmissionStore.Lease[10_000 / 8];
    for (int i = 0; i < leases.length; i++) {
      leases[i] = shared.open(64);
    }
    RetransmissionStore.Lease[] greedy = {shared.open(64), shared.open(64), shared.open(64)};
    int held = 0;
    for (int i = 0; i < greedy.length; i++) {
      int offset = shared.reserve(greedy[i], 64);
      while (offset != NONE) {
        shared.commit(greedy[i], 1 + i, WindowClass.DATA, 64 * held++, offset, 64);
        offset = shared.reserve(greedy[i], 64);
      }
    }
    assertThat(held).isBetween(rows / 2, rows / 2 + 3 * RetransmissionStore.RESERVED_PACKETS);
    for (int i = 0; i < leases.length; i++) {
      int offset = shared.reserve(leases[i], 64);
      assertThat(offset).as("connection %d", i).isNotEqualTo(NONE);
      shared.commit(leases[i], 100 + i, WindowClass.DATA, i, offset, 64);
    }
  }

  @Test
  void shouldSayFullWhereNoRowIsFreeAndGoOnWhenOneIs() {
    RetransmissionEngine tight =
        new RetransmissionEngine(new ContentAddressableMemory(64, 2, 42), store);
    RetransmissionStore.Lease lease = tight.open(500);
    int slot = tight.commit(lease, 1, WindowClass.DATA, 0, tight.reserve(lease, 500), 500);
    tight.commit(lease, 1, WindowClass.DATA, 64, tight.reserve(lease, 500), 500);
    assertThat(tight.reserve(lease, 500)).isEqualTo(NONE);
    assertThat(tight.reserveLast(lease, 500)).isEqualTo(NONE);

    assertThat(tight.remove(1, WindowClass.DATA, 0)).isEqualTo(slot);
    tight.free(lease, slot);
    assertThat(tight.reserve(lease, 500)).isNotEqualTo(NONE);
  }
}
