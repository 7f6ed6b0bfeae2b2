package io.rtransport.core.connection;

import io.rtransport.core.fuzz.FuzzInput;
import io.rtransport.core.window.WindowSublayer;
import io.rtransport.core.wire.Integrity;
import io.rtransport.core.wire.PacketType;
import io.rtransport.core.wire.WindowClass;
import java.nio.ByteBuffer;

/**
 * Packets to one connection of ours as somebody writes them who knows its id and cookie: header and
 * checksum are right, numbers lie near those that count, and all else is the fuzzer's.
 */
final class HostilePackets {
  private static final int LENGTH_MAX = 1_200;
  private static final int CLEAR_LENGTH = 16;
  private static final int[] RECORDS = {
    0x13, 0x01, 0x12, 0x10, 0x02, 0x14, 0x11, 0x15, 0x16, 0x17, 0x18, 0x03, 0x00
  };

  private final Connection connection;
  private final Integrity integrity = new Integrity();
  private final ByteBuffer packet = ByteBuffer.allocate(LENGTH_MAX);
  private int sequence;

  HostilePackets(Connection connection) {
    this.connection = connection;
  }

  // ------------------------------------------------------------------ numbered

  /**
   * The next packet of a window that an honest peer would send, everything of ours acknowledged,
   * with records of the fuzzer's.
   */
  byte[] records(FuzzInput input) {
    WindowClass windowClass = input.below(4) == 0 ? WindowClass.REQUEST : WindowClass.DATA;
    WindowSublayer window = connection.window();
    int flags = input.below(16) == 0 ? input.below(8) : 0;
    begin(windowClass, window.receivedBase(windowClass), window.nextPsn(WindowClass.REQUEST));
    packet.putInt(window.nextPsn(WindowClass.DATA));
    behind(input, flags, 0);
    int count = 0;
    for (int i = 1 + input.below(3); i > 0 && packet.remaining() > 300; i--) {
      record(input, windowClass == WindowClass.REQUEST);
      count++;
    }
    packet.put(33, (byte) count);
    return seal();
  }

  /**
   * A packet anywhere about the windows, acknowledging anything, with a record that does nothing.
   */
  byte[] numbers(FuzzInput input) {
    if (input.below(3) == 0) {
      return ack(input);
    }
    WindowClass windowClass = input.flag() ? WindowClass.REQUEST : WindowClass.DATA;
    WindowSublayer window = connection.window();
    int psn = window.receivedBase(windowClass) + near(input);
    begin(windowClass, psn, window.acknowledgedBase(WindowClass.REQUEST) + small(input));
    packet.putInt(window.acknowledgedBase(WindowClass.DATA) + small(input));
    behind(input, input.below(16), input.below(4) == 0 ? near(input) : 0);
    packet.putInt(4); // a PAD
    packet.put(33, (byte) 1);
    return seal();
  }

  private void begin(WindowClass windowClass, int psn, int requestBase) {
    clear(PacketType.of(windowClass));
    packet.putInt(psn).putInt(requestBase);
  }

  private void behind(FuzzInput input, int flags, int sequenceLie) {
    packet.putInt(sequence++ + sequenceLie & 0xFF_FFFF);
    packet.put((byte) flags).put((byte) 0).putShort((short) 0);
    if ((flags & 2) != 0) {
      packet.putInt(FuzzWorld.FIRST + small(input));
    }
    if ((flags & 4) != 0) {
      packet.putInt(FuzzWorld.CREDIT_BYTES + 64 * near(input));
    }
    if ((flags & 8) != 0) {
      ackBody(input);
    }
  }

  private byte[] ack(FuzzInput input) {
    clear(PacketType.ACK);
    ackBody(input);
    return seal();
  }

  private void ackBody(FuzzInput input) {
    WindowSublayer window = connection.window();
    packet.putInt(window.acknowledgedBase(WindowClass.REQUEST) + small(input));
    packet.putInt(window.acknowledgedBase(WindowClass.DATA) + small(input));
    int requestWords = input.below(3);
    int dataWords = input.below(3);
    int paths = input.below(3);
    packet.put((byte) input.below(4)).put((byte) requestWords).put((byte) dataWords);
    packet.put((byte) paths).putShort((short) input.below(3)).putShort((short) input.below(3));
    packet.putLong(FuzzWorld.CREDIT_BYTES + 64L * near(input));
    for (int i = 0; i < requestWords + dataWords; i++) {
      // Bits below the base are 1; an honest one has few above.
      packet.putLong(input.flag() ? input.i64() : -1L >>> input.below(64));
    }
    for (int i = 0; i < paths; i++) {
      packet.putInt(input.below(2) << 24 | FuzzWorld.FIRST + near(input) & 0xFF_FFFF);
      packet.putInt(input.flag() ? -1 : input.u16()).putInt(input.u8());
    }
  }

  // ------------------------------------------------------------------ records

  private void record(FuzzInput input, boolean isRequest) {
    int type = isRequest ? new int[] {1, 2, 3, 0}[input.below(4)] : RECORDS[input.below(13)];
    int start = packet.position();
    packet.put((byte) type).put((byte) 0).putShort((short) 0);
    int rsn = FuzzWorld.FIRST + input.below(24) - 2;
    if (type != 0) {
      packet.putInt(type == 0x15 ? FuzzWorld.FIRST + small(input) : rsn);
    }
    switch (type) {
      case 0x01 ->
          packet
              .putInt(FuzzWorld.FIRST + input.below(20) - 2)
              .putInt(length(input))
              .put(input.bytes(input.below(80)));
      case 0x02 -> {
        int most = length(input);
        packet.putInt(most).putInt(Math.min(most, length(input))).put(input.bytes(input.below(80)));
      }
      case 0x03 -> {
        packet.putInt(FuzzWorld.FIRST + input.below(20) - 2).putInt(length(input));
        packet.put(start + 1, (byte) input.below(2));
      }
      case 0x10 ->
          packet
              .putInt(FuzzWorld.FIRST + input.below(20) - 2)
              .putInt(length(input))
              .putInt(length(input));
      case 0x11 -> packet.putInt(length(input)).putInt(length(input));
      case 0x12 -> packet.putInt(length(input)).put(new byte[input.u8()]);
      case 0x13, 0x14 -> message(input, start, type == 0x13);
      case 0x15 -> completed(input);
      case 0x16 -> {
        packet.putInt(input.u16()).put(input.bytes(input.below(40)));
        packet.put(start + 1, (byte) input.below(4));
      }
      case 0x18 -> packet.put(start + 1, (byte) input.below(2));
      default -> {
        // CANCEL and PAD have no more
      }
    }
    packet.putShort(start + 2, (short) (packet.position() - start));
  }

  private void message(FuzzInput input, int start, boolean mayHaveHeader) {
    int flags = input.below(mayHaveHeader ? 4 : 2);
    int bytes = input.u8();
    packet.put(start + 1, (byte) flags);
    if ((flags & 1) == 0) {
      int offset = (flags & 2) != 0 ? 0 : length(input);
      packet.putInt(offset).putInt(Math.max(length(input), offset + bytes));
    }
    if ((flags & 2) != 0) {
      int header = input.below(70);
      packet.putShort((short) header).put(new byte[header]);
    }
    packet.put(new byte[bytes]);
  }

  private void completed(FuzzInput input) {
    int words = input.below(3);
    packet.putShort((short) input.below(3)).put((byte) words).put((byte) 0);
    packet.putLong(FuzzWorld.CREDIT_BYTES + 64L * near(input));
    for (int i = 0; i < words; i++) {
      packet.putLong(input.i64());
    }
  }

  // ------------------------------------------------------------------ without number

  /** A packet of any other type. {@code challenge}: what was last asked of somebody. */
  byte[] control(FuzzInput input, long challenge) {
    int type = 3 + input.below(13);
    clear(type);
    switch (type) {
      case PacketType.PING -> packet.putInt(input.u8()).putInt(0).put(new byte[input.u8()]);
      case PacketType.PONG ->
          packet.putInt(input.u8()).putInt(0).putLong(FuzzWorld.CREDIT_BYTES + 64L * near(input));
      case PacketType.PATH_CHALLENGE -> packet.putLong(input.i64());
      case PacketType.PATH_RESPONSE -> packet.putLong(input.flag() ? challenge : input.i64());
      case PacketType.CLOSE -> {
        WindowSublayer window = connection.window();
        packet.putInt(input.u16()).putInt(input.below(2) << 24);
        packet.putInt(window.receivedBase(WindowClass.REQUEST) + small(input));
        packet.putInt(window.receivedBase(WindowClass.DATA) + small(input));
        packet.put(input.bytes(input.below(40)));
      }
      case PacketType.CLOSE_ACK -> packet.putInt(input.below(2) << 24);
      case PacketType.RESET -> {
        boolean isRight = input.below(8) == 7;
        packet.putInt(isRight ? connection.peerCid() : input.i32());
        packet.putLong(isRight ? connection.peerCookie() : input.i64());
        packet.putInt(4, 0).putLong(8, 0);
      }
      default -> packet.put(input.bytes(input.below(200)));
    }
    return seal();
  }

  // ------------------------------------------------------------------ bytes

  private void clear(int type) {
    packet.clear();
    packet.put((byte) 1).put((byte) type).putShort((short) 0);
    packet.putInt(connection.cid()).putLong(connection.cookie());
    assert packet.position() == CLEAR_LENGTH;
  }

  private byte[] seal() {
    int length = packet.position() + Integrity.TRAILER_LENGTH;
    packet.putShort(2, (short) length);
    integrity.seal(packet, 0, length);
    byte[] bytes = new byte[length];
    packet.get(0, bytes);
    return bytes;
  }

  /** −128..127, mostly in the window and sometimes just beyond either end. */
  private static int near(FuzzInput input) {
    return (byte) input.u8();
  }

  /** 0..15, or beyond it by much, or below 0. */
  private static int small(FuzzInput input) {
    int value = input.u8();
    return value < 240 ? value & 15 : value < 248 ? 240 - value : value << 8;
  }

  /**
   * An offset or a length: near nothing, a packet, the threshold, the largest message; or anything.
   */
  private static int length(FuzzInput input) {
    return switch (input.below(6)) {
      case 0 -> input.u8();
      case 1 -> 1_024 - 16 + input.below(32);
      case 2 -> (1 << 16) - 16 + input.below(32);
      case 3 -> input.u16();
      case 4 -> 64 * input.u8();
      default -> input.below(4) == 0 ? input.i32() : 0;
    };
  }
}
