package io.rtransport.core.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.rtransport.core.stats.CounterId;
import io.rtransport.core.stats.Limits;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * The limits that a packet can break by itself: the last that is taken, and the first that is
 * refused, for its length alone.
 */
class LimitsAtTheDoorTest {
  private final Integrity integrity = new Integrity();
  private final PacketValidator validator = new PacketValidator(integrity);

  private void check(int limit, CounterId refusal, IntFunction<byte[]> packet) {
    assertThat(validate(packet.apply(limit))).as("%d", limit).isNull();
    assertThat(validate(packet.apply(limit + 1))).as("%d", limit + 1).isEqualTo(refusal);
  }

  private CounterId validate(byte[] packet) {
    ByteBuffer buffer = ByteBuffer.wrap(packet);
    buffer.putShort(2, (short) packet.length);
    integrity.seal(buffer, 0, packet.length);
    return validator.validate(buffer, 0, packet.length);
  }

  /** All zeros behind version and type. */
  private static ByteBuffer packet(int type, int length) {
    ByteBuffer packet = ByteBuffer.allocate(length);
    return packet.put(0, (byte) 1).put(1, (byte) type);
  }

  private static byte[] numbered(int type, int recordType, int length) {
    ByteBuffer packet = packet(type, 36 + length + 4).put(33, (byte) 1);
    return packet.put(36, (byte) recordType).putShort(38, (short) length).array();
  }

  @Test
  void shouldTakeTheLongestPacketAndNoneThatIsLonger() {
    check(
        Limits.PACKET_LENGTH_MAX,
        CounterId.DROP_OVERLONG,
        length -> packet(PacketType.PING, length).array());
  }

  @Test
  void shouldTakeTheLongestAckAndNoneThatIsLonger() {
    check(
        396,
        CounterId.DROP_OVERLONG,
        length -> {
          ByteBuffer ack = packet(PacketType.ACK, length);
          return ack.put(25, (byte) 16).put(26, (byte) 16).put(27, (byte) 8).array();
        });
  }

  @Test
  void shouldTakeTheLongestApplicationHeaderAndNoneThatIsLonger() {
    CounterId refusal = CounterId.DROP_RECORD_LENGTH;
    for (int type : new int[] {RecordType.PUSH_SOLICITED_REQUEST, RecordType.PULL_REQUEST}) {
      check(
          Limits.HEADER_LENGTH_MAX,
          refusal,
          length -> numbered(PacketType.REQUEST, type, 16 + length));
    }
    check(
        Limits.HEADER_LENGTH_MAX,
        refusal,
        length -> {
          byte[] packet =
              numbered(PacketType.DATA, RecordType.PUSH_UNSOLICITED_DATA, 10 + length + 100);
          packet[37] = 3; // whole, with a header
          ByteBuffer.wrap(packet).putShort(44, (short) length);
          return packet;
        });
  }

  @Test
  void shouldTakeTheLongestTextAndNoneThatIsLonger() {
    int limit = Limits.TEXT_LENGTH_MAX;
    check(limit, CounterId.DROP_OVERLONG, length -> packet(PacketType.CLOSE, 36 + length).array());
    check(limit, CounterId.DROP_OVERLONG, length -> packet(PacketType.REJECT, 32 + length).array());
    check(
        limit,
        CounterId.DROP_RECORD_LENGTH,
        length -> numbered(PacketType.DATA, RecordType.COMPLETE_IN_ERROR, 12 + length));
  }

  @Test
  void shouldTakeTheLongestTokenAndNoneThatIsLonger() {
    check(
        Limits.TOKEN_LENGTH_MAX,
        CounterId.DROP_OVERLONG,
        length -> packet(PacketType.RETRY, 32 + length).putShort(24, (short) length).array());
  }

  @Test
  void shouldTakeThePaddedChallengeAndTheResponseWithAPathIdAndNoneThatIsLonger() {
    CounterId refusal = CounterId.DROP_OVERLONG;
    check(64, refusal, length -> packet(PacketType.PATH_CHALLENGE, length).array());
    check(32, refusal, length -> packet(PacketType.PATH_RESPONSE, length).array());
    for (int type : new int[] {PacketType.PATH_CHALLENGE, PacketType.PATH_RESPONSE}) {
      assertThat(validate(packet(type, 28).array())).isNull();
      assertThat(validate(packet(type, 27).array())).isEqualTo(CounterId.DROP_TRUNCATED);
    }
    for (int length = 29; length < 32; length++) {
      assertThat(validate(packet(PacketType.PATH_CHALLENGE, length).array())).isNull();
      assertThat(validate(packet(PacketType.PATH_RESPONSE, length).array()))
          .isEqualTo(CounterId.DROP_BODY);
    }
  }

  @Test
  void shouldTakeTheLongestNidAndNoneThatIsLonger() {
    for (int type : new int[] {RecordType.ADD_NI, RecordType.REMOVE_NI}) {
      check(
          NiFlyweight.NID_LENGTH_MAX,
          CounterId.DROP_RECORD_LENGTH,
          length -> numbered(PacketType.DATA, type, 8 + length));
      assertThat(validate(numbered(PacketType.DATA, type, 8)))
          .isEqualTo(CounterId.DROP_RECORD_LENGTH);
      assertThat(validate(numbered(PacketType.DATA, type, 9))).isNull();
    }
  }

  @Test
  void shouldTakeTheLongestListOfNidsAndNoneThatIsLonger() {
    check(
        TlvId.NIDS_LENGTH_MAX,
        CounterId.DROP_TLV,
        length -> {
          ByteBuffer accept = packet(PacketType.ACCEPT, 48 + 4 + length + 4).putInt(32, 1);
          accept.putShort(38, (short) (4 + length));
          return accept.putShort(48, (short) TlvId.NIDS).putShort(50, (short) length).array();
        });
  }

  @Test
  void shouldTakeAsManyRecordsAsAByteCountsAndNotOneMore() {
    check(
        Limits.RECORDS_PER_PACKET_MAX,
        CounterId.DROP_RECORD_COUNT,
        count -> {
          ByteBuffer packet = packet(PacketType.DATA, 36 + 4 * count + 4);
          packet.put(33, (byte) Math.min(count, 255));
          for (int i = 0; i < count; i++) {
            packet.putShort(36 + 4 * i + 2, (short) 4); // PAD
          }
          return packet.array();
        });
  }

  @Test
  void shouldTakeTheShortestConnectAndNoneThatIsShorter() {
    for (int length = Limits.CONNECT_LENGTH_MIN - 1; length < 520; length++) {
      ByteBuffer connect = packet(PacketType.CONNECT, length).putInt(32, 1);
      assertThat(validate(connect.array()))
          .isEqualTo(length < Limits.CONNECT_LENGTH_MIN ? CounterId.DROP_TRUNCATED : null);
    }
  }
}
