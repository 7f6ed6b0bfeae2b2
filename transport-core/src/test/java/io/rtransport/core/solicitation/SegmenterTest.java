package io.rtransport.core.solicitation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.Counters;
import io.rtransport.core.transaction.MadeTransactions;
import io.rtransport.core.transaction.Transaction;
import io.rtransport.core.transaction.TransactionPool;
import io.rtransport.core.wire.Flyweights;
import io.rtransport.core.wire.PullDataFlyweight;
import io.rtransport.core.wire.PushUnsolicitedDataFlyweight;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class SegmenterTest {
  private static final int ROOM = 1_200;

  private final Segmenter segmenter = new Segmenter(ROOM, ROOM, new Counters(), new Flyweights());
  private final ByteBuffer packet = ByteBuffer.allocate(ROOM);
  private final TransactionPool pool = new TransactionPool(7);
  private Transaction t;
  private final PushUnsolicitedDataFlyweight record = new PushUnsolicitedDataFlyweight();
  private int readyBytes = Integer.MAX_VALUE;

  private int copy(long handle, long offset, ByteBuffer to, int index, int length) {
    int count = (int) Math.max(0, Math.min(length, readyBytes - offset));
    for (int i = 0; i < count; i++) {
      to.put(index + i, (byte) (offset + i));
    }
    return count;
  }

  private void message(int length, int headerLength) {
    t = MadeTransactions.push(pool, this::copy, length);
    t.keepHeader(ByteBuffer.allocate(600), 0, headerLength);
  }

  private void answer(long lengthMax, long length, long grantedBytes) {
    t = MadeTransactions.answered(pool, lengthMax, this::copy, length);
    t.outgoing().grant(0, grantedBytes, null);
  }

  @Test
  void shouldSendAMessageWholeThatFillsTheRoomToTheLastByte() {
    message(ROOM - 8, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, ROOM)).isEqualTo(ROOM);
    assertThat(record.wrap(packet, 0).isWhole()).isTrue();
    assertThat(record.hasHeader()).isFalse();
    assertThat(t.outgoing().sentBytes()).isEqualTo(ROOM - 8);
  }

  @Test
  void shouldSplitAMessageThatIsOneByteTooLong() {
    message(ROOM - 7, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, ROOM)).isEqualTo(ROOM);
    assertThat(record.wrap(packet, 0).isWhole()).isFalse();
    assertThat(t.outgoing().sentBytes()).isEqualTo(ROOM - 16);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, ROOM)).isEqualTo(16 + 9);
    assertThat(record.wrap(packet, 0).offset()).isEqualTo(ROOM - 16);
  }

  @Test
  void shouldKeepASmallMessageTogether() {
    message(ROOM / 4 - 8, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, ROOM / 4 * 3 + 1, ROOM)).isZero();
    message(ROOM / 4 - 7, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, ROOM / 4 * 3, ROOM))
        .as("above a quarter it is split")
        .isEqualTo(ROOM / 4);
  }

  @Test
  void shouldPutTheHeaderIntoTheFirstPieceOnly() {
    message(3_000, 100);
    segmenter.writeUnsolicited(t, 0, packet, 0, ROOM);
    assertThat(record.wrap(packet, 0).headerLength()).isEqualTo(100);
    assertThat(record.payloadLength()).isEqualTo(ROOM - 16 - 2 - 100);
    segmenter.writeUnsolicited(t, 0, packet, 0, ROOM);
    assertThat(record.wrap(packet, 0).hasHeader()).isFalse();
    assertThat(record.total()).isEqualTo(3_000);
  }

  @Test
  void shouldNotWriteAPieceThatIsNotWorthItsHeader() {
    message(3_000, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, 16 + Segmenter.PIECE_BYTES_MIN - 1))
        .isZero();
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, 16 + Segmenter.PIECE_BYTES_MIN))
        .isEqualTo(80);
  }

  @Test
  void shouldSendWhatTheSourceHasOfAMessageThatWouldFitWhole() {
    message(500, 10);
    readyBytes = 200;
    int length = segmenter.writeUnsolicited(t, 0, packet, 0, ROOM);
    assertThat(segmenter.isSourceEmpty()).isTrue();
    assertThat(record.wrap(packet, 0).isWhole()).isFalse();
    assertThat(record.payloadLength()).isEqualTo(200);
    assertThat(length).isEqualTo(16 + 12 + 200);
    assertThat(packet.get(record.payloadOffset() + 199)).isEqualTo((byte) 199);
    readyBytes = 500;
    segmenter.writeUnsolicited(t, 0, packet, 0, ROOM);
    assertThat(segmenter.isSourceEmpty()).isFalse();
    assertThat(record.wrap(packet, 0).offset()).isEqualTo(200);
    assertThat(t.outgoing().sentBytes()).isEqualTo(500);
  }

  @Test
  void shouldWriteNothingWhenTheSourceHasNothing() {
    message(500, 10);
    readyBytes = 0;
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, ROOM)).isZero();
    assertThat(segmenter.isSourceEmpty()).isTrue();
    assertThat(t.outgoing().sentBytes()).isZero();
  }

  @Test
  void shouldNotFillTheRecordBeyondItsRoomWhenThePieceFormIsLonger() {
    // WHOLE would fill the room exactly; as a piece the same bytes need eight more.
    message(ROOM - 8, 0);
    readyBytes = ROOM - 9;
    int length = segmenter.writeUnsolicited(t, 0, packet, 0, ROOM);
    assertThat(length).isLessThanOrEqualTo(ROOM);
    assertThat(t.outgoing().sentBytes()).isPositive();
  }

  @Test
  void shouldSendAnEmptyMessageAndAnEmptyAnswerAsOneRecord() {
    message(0, 0);
    assertThat(segmenter.writeUnsolicited(t, 0, packet, 0, ROOM)).isEqualTo(8);
    assertThat(t.hasSource()).as("asked for its last byte").isFalse();
    answer(0, 0, 0);
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isEqualTo(8);
    assertThat(new PullDataFlyweight().wrap(packet, 0).isWhole()).isTrue();
    assertThat(t.hasSource()).isFalse();
  }

  @Test
  void shouldSendOfAnAnswerNoMoreThanThePullerAllows() {
    answer(5_000, 4_000, 1_500);
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isEqualTo(ROOM);
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isEqualTo(16 + 1_500 - (ROOM - 16));
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isZero();
    PullDataFlyweight data = new PullDataFlyweight().wrap(packet, 0);
    assertThat(data.total()).isEqualTo(4_000);
  }

  @Test
  void shouldSendAnAnswerInPiecesWhenItsEndIsNotReady() {
    answer(500, 500, 500);
    readyBytes = 400;
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isEqualTo(16 + 400);
    PullDataFlyweight data = new PullDataFlyweight().wrap(packet, 0);
    assertThat(data.isWhole()).isFalse();
    assertThat(data.offset()).isZero();
    assertThat(packet.get(data.payloadOffset() + 399)).isEqualTo((byte) 399);
    readyBytes = 500;
    assertThat(segmenter.writeAnswer(t, packet, 0, ROOM)).isEqualTo(16 + 100);
  }
}
