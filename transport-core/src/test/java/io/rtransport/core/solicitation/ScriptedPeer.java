package io.rtransport.core.solicitation;

import io.rtransport.core.window.AcknowledgementView;
import io.rtransport.core.wire.NumberedHeaderFlyweight;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.RecordFlyweight;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A peer whose records a test writes by hand, one a packet, and who reads the records that the end
 * under test sends.
 */
final class ScriptedPeer {
  private static final int DATAGRAM_LENGTH = 1_408;

  private final SolicitationPair.End end;
  private long nowNs = 1_000;
  private int nextPsn = -2;

  ScriptedPeer(SolicitationPair.End end) {
    this.end = end;
  }

  ByteBuffer record(int length) {
    return ByteBuffer.allocate(length);
  }

  /** Hands the end a packet with {@code record}, and ends the burst. */
  void send(WindowClass windowClass, ByteBuffer record) {
    hand(windowClass, List.of(record));
    end.tellAll();
  }

  /** Hands the end a burst with a packet for each record. What it says to that is not asked for. */
  void hand(WindowClass windowClass, List<ByteBuffer> records) {
    end.burst.clear();
    for (ByteBuffer record : records) {
      add(windowClass, record);
    }
    end.solicitation.onBurst(end.burst, nowNs);
    nowNs += 1_000;
  }

  private void add(WindowClass windowClass, ByteBuffer record) {
    int length = new RecordFlyweight().wrap(record, 0).length();
    ByteBuffer packet = ByteBuffer.allocate(NumberedHeaderFlyweight.HEADER_LENGTH + length + 4);
    packet.put(0, (byte) 1).put(1, (byte) PacketType.of(windowClass));
    new NumberedHeaderFlyweight().wrap(packet, 0).psn(7).recordCount(1);
    packet.put(NumberedHeaderFlyweight.HEADER_LENGTH, record, 0, length);
    end.burst.add(packet, 0, packet.capacity(), 0, -1);
  }

  /** What the end sends now: its records, requests first. */
  List<ByteBuffer> pull() {
    List<ByteBuffer> records = pull(WindowClass.REQUEST);
    records.addAll(pull(WindowClass.DATA));
    return records;
  }

  List<ByteBuffer> pull(WindowClass windowClass) {
    return pull(windowClass, Integer.MAX_VALUE, DATAGRAM_LENGTH - 16 - 40);
  }

  /**
   * The records of at most {@code packets} packets, each with room for {@code room} bytes of them.
   */
  List<ByteBuffer> pull(WindowClass windowClass, int packets, int room) {
    List<ByteBuffer> records = new ArrayList<>();
    for (int p = 0; p < packets && end.solicitation.hasRecords(windowClass, nowNs); p++) {
      ByteBuffer packet = ByteBuffer.allocate(DATAGRAM_LENGTH);
      int length =
          end.solicitation.pullRecords(windowClass, nextPsn++, packet, 40, 40 + room, nowNs);
      if (length == 0) {
        break;
      }
      int at = 40;
      for (int i = 0; i < end.solicitation.pulledRecordCount(); i++) {
        int recordLength = new RecordFlyweight().wrap(packet, at).length();
        ByteBuffer record = ByteBuffer.allocate(recordLength);
        record.put(0, packet, at, recordLength);
        records.add(record);
        at += recordLength;
      }
      if (at != 40 + length) {
        throw new AssertionError("records end at " + at + ", said " + (40 + length));
      }
    }
    return records;
  }

  /** All packets so far are known to have arrived. */
  void acknowledgeAll() {
    end.solicitation.onAcknowledged(
        new AcknowledgementView() {
          @Override
          public boolean isAcknowledged(WindowClass windowClass, int psn) {
            return true;
          }

          @Override
          public boolean isAcknowledgedThrough(WindowClass windowClass, int psn) {
            return isAcknowledged(windowClass, psn);
          }

          @Override
          public boolean isAllAcknowledged() {
            return true;
          }
        },
        nowNs);
  }
}
