package io.rtransport.core.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PullGrantFlyweight;
import io.rtransport.core.wire.PushSolicitedDataFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.RecordType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepackedRecordsTest {
  private static final int OTHER = 0x0102_0304;

  private final RetransmissionStore store =
      new RetransmissionStore(ByteBuffer.allocate(RetransmissionStore.BLOCK_BYTES));
  private final RetransmissionStore.Lease lease = store.open(1_408);
  private final RepackedRecords repacked = new RepackedRecords(store, lease);
  private final ByteBuffer packet = ByteBuffer.allocate(2_000);
  private int token;
  private int at;

  private final List<Integer> toldPsns = new ArrayList<>();
  private final RecordSource following =
      new RecordsAlone() {
        @Override
        public boolean hasRecords(WindowClass windowClass, long nowNs) {
          return false;
        }

        @Override
        public int pullRecords(
            WindowClass windowClass, int psn, ByteBuffer to, int index, int limit, long nowNs) {
          throw new AssertionError("not its turn");
        }

        @Override
        public void onRepacked(WindowClass windowClass, int psn) {
          assertThat(windowClass).isEqualTo(WindowClass.DATA);
          toldPsns.add(psn);
        }
      };

  RepackedRecordsTest() {
    at = store.reserve(lease, 8_000);
    token = store.commit(lease, 8_000);
    repacked.before(following);
  }

  private void payload(int from, int count) {
    for (int i = 0; i < count; i++) {
      store.memory().put(from + i, (byte) (i * 7));
    }
  }

  /**
   * As shortening a packet does: it goes, and the checksum of what is left stands where the first
   * record begins.
   */
  private void displace(int end) {
    repacked.add(at, end, token, store.memory().getInt(at));
    store.memory().putInt(at, OTHER);
    store.release(lease, token);
  }

  /**
   * Pulls packets with room for {@code room} bytes until nothing is left; answers the payload, put
   * together by offset.
   */
  private byte[] pullAll(int room, int total) {
    byte[] message = new byte[total];
    int bytes = 0;
    toldPsns.clear();
    for (int i = 0; i < 1_000 && !repacked.isEmpty(); i++) {
      int length = repacked.pullRecords(WindowClass.DATA, i - 1, packet, 100, 100 + room, 0);
      assertThat(length).isBetween(1, room);
      assertThat(toldPsns).hasSize(i + 1).endsWith(i - 1);
      repacked.settle();
      int next = 100;
      for (int r = 0; r < repacked.pulledRecordCount(); r++) {
        RecordFlyweight record = new RecordFlyweight().wrap(packet, next);
        long offset;
        int payload;
        int count;
        switch (record.type()) {
          case RecordType.PUSH_UNSOLICITED_DATA -> {
            var push = new PushUnsolicitedDataFlyweight().wrap(packet, next);
            assertThat(push.total()).isEqualTo(total);
            assertThat(push.headerLength()).isEqualTo(push.offset() == 0 ? 300 : 0);
            offset = push.offset();
            payload = push.payloadOffset();
            count = push.payloadLength();
          }
          case RecordType.PULL_DATA -> {
            var answer = new PullDataFlyweight().wrap(packet, next);
            assertThat(answer.total()).isEqualTo(total);
            offset = answer.offset();
            payload = answer.payloadOffset();
            count = answer.payloadLength();
          }
          default -> {
            var push = new PushSolicitedDataFlyweight().wrap(packet, next);
            assertThat(push.rsn()).isEqualTo(42);
            offset = push.offset() - 5_000_000;
            payload = push.payloadOffset();
            count = push.payloadLength();
          }
        }
        packet.get(payload, message, (int) offset, count);
        bytes += count;
        next += record.length();
      }
      assertThat(next - 100).isEqualTo(length);
    }
    assertThat(bytes).isEqualTo(total);
    return message;
  }

  private static void assertWhole(byte[] message) {
    for (int i = 0; i < message.length; i++) {
      assertThat(message[i]).isEqualTo((byte) (i * 7));
    }
  }

  @Test
  void shouldCutAWholeMessageWithItsHeaderIntoPieces() {
    var push =
        new PushUnsolicitedDataFlyweight()
            .wrapNew(
                store.memory(),
                at,
                PushUnsolicitedDataFlyweight.FLAG_WHOLE | PushUnsolicitedDataFlyweight.FLAG_HEADER)
            .rsn(42)
            .headerLength(300);
    push.payloadLength(5_000);
    payload(push.payloadOffset(), 5_000);
    displace(at + push.length());
    assertWhole(pullAll(580, 5_000));
    assertThat(store.freeUnits()).isEqualTo(store.unitCount());
  }

  @Test
  void shouldCutAPartOfASolicitedMessageAndAWholeAnswer() {
    var push = new PushSolicitedDataFlyweight().wrapNew(store.memory(), at).rsn(42);
    push.offset(5_000_000).payloadLength(3_000);
    payload(push.payloadOffset(), 3_000);
    displace(at + push.length());
    assertWhole(pullAll(1_000, 3_000));
    at = store.reserve(lease, 8_000);
    token = store.commit(lease, 8_000);
    var answer =
        new PullDataFlyweight().wrapNew(store.memory(), at, PullDataFlyweight.FLAG_WHOLE).rsn(42);
    answer.payloadLength(3_001);
    payload(answer.payloadOffset(), 3_001);
    displace(at + answer.length());
    assertWhole(pullAll(1_000, 3_001));
  }

  @Test
  void shouldMoveOtherRecordsWholeAndLeavePaddingOut() {
    var grant = new PullGrantFlyweight().wrapNew(store.memory(), at).rsn(7).offset(9);
    grant.grantLength(11);
    int length = grant.length();
    int pad = at + length;
    new RecordFlyweight().wrap(store.memory(), pad).type(RecordType.PAD).flags(0).length(40);
    displace(pad + 40);
    assertThat(repacked.pullRecords(WindowClass.DATA, 0, packet, 0, length - 1, 0)).isZero();
    assertThat(toldPsns).isEmpty();
    assertThat(repacked.pullRecords(WindowClass.DATA, 0, packet, 0, 1_000, 0)).isEqualTo(length);
    assertThat(repacked.isEmpty()).isTrue();
    assertThat(repacked.pulledRecordCount()).isEqualTo(1);
    var moved = new PullGrantFlyweight().wrap(packet, 0);
    assertThat(moved.type()).isEqualTo(RecordType.PULL_GRANT);
    assertThat(moved.rsn()).isEqualTo(7);
    assertThat(moved.grantLength()).isEqualTo(11);
    repacked.settle();
  }

  @Test
  void shouldGiveItsMemoryBackAtTheEnd() {
    payload(at + 12, 100);
    new PushSolicitedDataFlyweight().wrapNew(store.memory(), at).rsn(42).payloadLength(100);
    displace(at + 112);
    assertThat(store.freeUnits()).isLessThan(store.unitCount());
    repacked.close();
    store.close(lease);
    assertThat(store.freeUnits()).isEqualTo(store.unitCount());
  }
}
